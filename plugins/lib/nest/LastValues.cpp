#include "tangram/nest/LastValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

void addNames(const Node *tree, std::set<std::string> &to) {
  walk(tree, [&](const VarRef &v) { to.insert(v.name); });
}

/// `variable = value;`, or a declaration of a variable that begins so, without further effects.
struct ScalarSet {
  const VarRef *target = nullptr;
  const Declare *declared = nullptr; // in place of a target
  const Expr *value = nullptr;

  const std::string &name() const { return target ? target->name : declared->name; }
};

std::optional<ScalarSet> scalarSet(const Stmt *s) {
  if (const auto *d = dyn<Declare>(s)) {
    const bool plain = d->init && d->extents.empty() && !d->tunable && d->type.isScalar() && !hasEffects(d->init);
    return plain ? std::optional(ScalarSet{nullptr, d, d->init}) : std::nullopt;
  }
  const Assign *set = variableSet(s);
  const auto *target = set ? as<VarRef>(set->target) : nullptr;
  if (!target || !target->type.isScalar() || hasEffects(set->value)) return {};
  return ScalarSet{target, nullptr, set->value};
}

/// Neighbours that set scalars, of different names, each by what was there before all of them.
struct Run {
  std::vector<ScalarSet> sets;
  std::map<std::string, std::size_t> resolved; // mentions of what the run has set that stand no more in its values
  std::set<std::string> conditions;            // names in what decides whether the run is carried out
};

Run runFrom(const Stmts &stmts, std::size_t first, Arena &arena) {
  Run run;
  std::map<std::string, const Expr *> known;
  std::set<std::string> read;
  for (std::size_t i = first; i < stmts.size(); ++i) {
    std::optional<ScalarSet> next = scalarSet(stmts[i]);
    if (!next || known.count(next->name()) || read.count(next->name())) break;
    next->value = substituted(arena, next->value, [&](const VarRef *v) -> const Expr * {
      const auto set = known.find(v->name);
      if (set == known.end()) return v;
      ++run.resolved[v->name];
      return set->second;
    });
    addNames(next->value, read);
    if (next->target) known[next->name()] = next->value;
    run.sets.push_back(*next);
  }
  return run;
}

class Runs {
public:
  explicit Runs(Arena &arena) : arena_(arena) {}
  std::vector<Run> of(const Block *body) {
    block(body);
    return std::move(runs_);
  }

private:
  void block(const Block *body) {
    for (std::size_t i = 0; body && i < body->stmts.size();) {
      Run run = runFrom(body->stmts, i, arena_);
      if (run.sets.empty()) {
        statement(body->stmts[i++]);
        continue;
      }
      i += run.sets.size();
      run.conditions = around_;
      runs_.push_back(std::move(run));
    }
  }

  void statement(const Stmt *s) {
    const std::set<std::string> before = around_;
    if (const auto *choice = dyn<If>(s)) {
      addNames(choice->cond, around_);
      block(choice->then);
      block(choice->otherwise);
    } else if (const auto *loop = dyn<For>(s)) {
      for (const Node *part : {static_cast<const Node *>(loop->init), static_cast<const Node *>(loop->cond),
                               static_cast<const Node *>(loop->step)})
        addNames(part, around_);
      block(loop->body);
    } else if (const auto *repeated = dyn<While>(s)) {
      addNames(repeated->cond, around_);
      block(repeated->body);
    } else if (const auto *inner = dyn<Block>(s)) {
      block(inner);
    }
    around_ = before;
  }

  Arena &arena_;
  std::set<std::string> around_;
  std::vector<Run> runs_;
};

/// The scalar that tells of what is set together in which iteration that was, by scalars that are set.
using Latest = std::map<std::string, const Expr *>;

/// Settings as selections by the number of the iteration.
class Selecting final : public Mutator {
public:
  Selecting(Arena &arena, const Latest &latest, const Expr *iterator, BinaryOp compare)
      : Mutator(arena), latest_(latest), iterator_(iterator), compare_(compare) {}

private:
  const Node *mutateBlock(const Block *block) override {
    Stmts stmts;
    for (std::size_t i = 0; i < block->stmts.size();) {
      const Run run = runFrom(block->stmts, i, arena());
      const bool selects = std::any_of(run.sets.begin(), run.sets.end(), [&](const ScalarSet &s) {
        return s.target && latest_.count(s.target->name) != 0;
      });
      if (selects)
        select(run, block->range, stmts);
      else if (run.sets.empty())
        stmts.push_back(mutateAs(block->stmts[i]));
      else
        stmts.insert(stmts.end(), block->stmts.begin() + static_cast<std::ptrdiff_t>(i),
                     block->stmts.begin() + static_cast<std::ptrdiff_t>(i + run.sets.size()));
      i += std::max<std::size_t>(1, run.sets.size());
    }
    return arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  void select(const Run &run, SourceRange where, Stmts &out) {
    const Build build(arena(), where);
    std::vector<std::pair<const Expr *, Stmts>> together;
    for (const ScalarSet &s : run.sets) {
      if (s.declared) {
        out.push_back(arena().derive(s.declared, [&](Declare &copy) { copy.init = s.value; }));
        continue;
      }
      const Stmt *set = build.assign(s.target, s.value);
      const auto latest = latest_.find(s.target->name);
      if (latest == latest_.end()) {
        out.push_back(set);
        continue;
      }
      auto group =
          std::find_if(together.begin(), together.end(), [&](const auto &g) { return g.first == latest->second; });
      if (group == together.end())
        group = together.insert(group, {latest->second, {build.assign(latest->second, iterator_)}});
      group->second.push_back(set);
    }
    for (auto &[latest, sets] : together)
      out.push_back(build.when(build.binary(compare_, iterator_, latest), std::move(sets)));
  }

  const Latest &latest_;
  const Expr *iterator_;
  BinaryOp compare_;
};

class LastValues final : public Mutator {
public:
  LastValues(Nests &nests, const Codelet &codelet, Arena &arena) : Mutator(arena), nests_(nests), codelet_(codelet) {
    names_.reserveAll(&codelet);
    for (const Param *p : codelet.params) ++declared_[p->name];
    walk(codelet.body, [&](const Declare &d) {
      declared_[d.name] += d.extents.empty() && !d.shared && !d.tunable && d.type.isScalar() ? 1 : 2;
    });
  }

private:
  const Node *mutateFor(const For *loop) override {
    std::string why;
    const std::optional<CountedLoop> counted = countedLoop(loop, arena(), why);
    const std::optional<Int> step = counted ? literal(counted->step) : std::nullopt;
    const Expr *first = counted ? as<Declare>(loop->init)->init : nullptr;
    if (!step || hasEffects(first)) return rebuild(loop);
    if (const For *own = withOwn(loop); own != loop) return mutateFor(own);
    const Build build(arena(), loop->range);
    Latest latest;
    for (const auto &[runs, set] : setTogether(loop)) {
      const Expr *number = build.var(names_.fresh("last_" + counted->iterator), counted->type);
      emitBefore(build.declare(as<VarRef>(number)->name, counted->type, build.cast(counted->type, first), false));
      for (const std::string &name : set) latest[name] = number;
    }
    if (latest.empty()) return rebuild(loop);
    Selecting selecting(arena(), latest, build.var(counted->iterator, counted->type),
                        *step > 0 ? BinaryOp::Ge : BinaryOp::Le);
    const Block *body = selecting(loop->body);
    return rebuild(arena().derive(loop, [&](For &copy) { copy.body = body; }));
  }

  /// Scalars of around the loop that it changes.
  static std::set<std::string> carriedBy(const For *loop) {
    std::set<std::string> carried = assignedVariables(loop->body);
    walk(loop->body, [&](const Declare &d) { carried.erase(d.name); });
    return carried;
  }

  /// Scalars that the loop sets only, by the runs that do so.
  std::map<std::vector<std::size_t>, std::vector<std::string>> setTogether(const For *loop) {
    const std::set<std::string> carried = carriedBy(loop);
    if (carried.empty()) return {};
    const std::vector<Run> runs = Runs(arena()).of(loop->body);
    const auto follows = [&](const std::set<std::string> &names) {
      return std::any_of(names.begin(), names.end(), [&](const std::string &n) { return carried.count(n) != 0; });
    };
    std::map<std::vector<std::size_t>, std::vector<std::string>> result;
    for (const std::string &name : carried) {
      std::vector<std::size_t> in;
      std::size_t known = 0;
      bool free = true;
      for (std::size_t r = 0; r < runs.size(); ++r)
        for (const ScalarSet &s : runs[r].sets) {
          if (!s.target || s.target->name != name) continue;
          std::set<std::string> read = runs[r].conditions;
          addNames(s.value, read);
          free &= !follows(read);
          const auto resolved = runs[r].resolved.find(name);
          known += 1 + (resolved == runs[r].resolved.end() ? 0 : resolved->second);
          in.push_back(r);
        }
      if (!in.empty() && free && known == mentionsOf(loop, name) && isReadBehind(name, loop))
        result[in].push_back(name);
    }
    return result;
  }

  /// Whether what the loop leaves in a scalar is of use. What each iteration may have of its own is not.
  bool isReadBehind(const std::string &name, const For *loop) {
    if (declared_[name] != 1 || mentionsOf(&codelet_, name) == mentionsOf(loop, name)) return false;
    const Nest *nest = nests_.of(codelet_);
    if (!nest) return false;
    for (unsigned l = 0; l < nest->loops.size(); ++l)
      for (unsigned v = 0; v < nest->variables.size(); ++v)
        if (isSame(*nest->loops[l].node, *loop) && nest->variables[v].name == name)
          return !Dependences(*nest).isPrivate(v, l);
    return false;
  }

  /// Of the codelet's own loops, of which what stands in them may have changed.
  static bool isSame(const For &a, const For &b) {
    return a.range.line == b.range.line && a.range.column == b.range.column && equal(a.init, b.init);
  }

  /// What each iteration sets before it reads it, as a scalar of its own, to which the other one is set at its end.
  const For *withOwn(const For *loop) {
    const Stmts &stmts = loop->body->stmts;
    if (std::any_of(stmts.begin(), stmts.end(), jumpsOut)) return loop;
    for (const std::string &name : carriedBy(loop)) {
      const auto first = std::find_if(stmts.begin(), stmts.end(), [&](const Stmt *s) { return mentions(s, name); });
      const std::optional<ScalarSet> set = scalarSet(*first);
      if (!set || !set->target || set->target->name != name || mentions(set->value, name)) continue;
      const bool read = std::any_of(first + 1, stmts.end(), [&](const Stmt *s) { return mentions(s, name); });
      if (!read || !isReadBehind(name, loop)) continue;
      const Build build(arena(), loop->range);
      const std::string own = names_.fresh(name + "_own");
      Stmts body(stmts.begin(), first);
      body.push_back(build.declare(own, set->target->type, set->value, false));
      for (auto s = first + 1; s != stmts.end(); ++s)
        body.push_back(as<Stmt>(renameVariables(arena(), *s, std::map<std::string, std::string>{{name, own}})));
      body.push_back(build.assign(set->target, build.var(own, set->target->type)));
      return arena().derive(loop, [&](For &copy) { copy.body = build.block(std::move(body)); });
    }
    return loop;
  }

  Nests &nests_;
  const Codelet &codelet_;
  Names names_;
  std::map<std::string, unsigned> declared_; // how often a name is; 2 of what is no scalar
};

} // namespace

const Codelet *withLastValues(Nests &nests, const Codelet *codelet, Arena &arena) {
  return LastValues(nests, *codelet, arena)(codelet);
}

} // namespace tangram::nest
