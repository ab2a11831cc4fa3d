#include "HandedOn.h"

#include "Captures.h"
#include "LoopParts.h"
#include "Reductions.h"
#include "Rescheduling.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;
using nest::Item;
using Stmts = std::vector<const Stmt *>;

namespace {

/// A scalar of an inner loop's iterations: the element that they read, and the one that they set.
struct HandedOnScalar {
  std::string name, row;
  Type type;
  std::size_t set = 0; // which of the loop's statements sets it
};

/// What all iterations accumulate.
struct AccumulatedScalar {
  std::string name, row;
  Type type;
  nest::ReductionOp op = nest::ReductionOp::Add;
};

struct HandingLoop {
  const For *inner = nullptr;
  std::vector<HandedOnScalar> scalars;
  std::vector<AccumulatedScalar> sums;
  const Expr *turns = nullptr;               // how many iterations
  const Expr *at = nullptr, *next = nullptr; // the number of one, and of the one behind it
};

class ScalarsByRows : public Mutator {
public:
  ScalarsByRows(std::map<std::string, const Expr *> elements, Arena &arena)
      : Mutator(arena), elements_(std::move(elements)) {}

private:
  const Node *mutateVarRef(const VarRef *v) override {
    const auto found = elements_.find(v->name);
    return found == elements_.end() ? v : found->second;
  }

  std::map<std::string, const Expr *> elements_;
};

class HandingOn {
public:
  HandingOn(const nest::Nest &nest, bool reorder, Arena &arena) : nest_(nest), reorder_(reorder), arena_(arena) {
    names_.reserveAll(nest.codelet);
  }

  const Codelet *run() {
    Stmts stmts;
    bool any = false;
    for (const Stmt *s : nest_.codelet->body->stmts) {
      const auto *outer = dyn<For>(s);
      const auto item = std::ranges::find_if(
          nest_.items, [&](const Item &i) { return i.kind == Item::Kind::Loop && nest_.loops[i.index].node == outer; });
      std::vector<HandingLoop> loops;
      if (outer && item != nest_.items.end() && isSerialThroughout(nest_, *item) && waitsInBoth(nest_, *item))
        loops = handing(*outer, *item);
      any |= !loops.empty();
      Stmts behind;
      stmts.push_back(loops.empty() ? s : changed(*outer, loops, stmts, behind));
      stmts.insert(stmts.end(), behind.begin(), behind.end());
    }
    if (!any) return nest_.codelet;
    return arena_.derive(nest_.codelet, [&](Codelet &c) {
      c.body = arena_.derive(c.body, [&](Block &b) { b.stmts = std::move(stmts); });
    });
  }

private:
  std::vector<HandingLoop> handing(const For &outer, const Item &item) {
    std::vector<HandingLoop> result;
    for (const Item &inside : item.body) {
      if (inside.kind != Item::Kind::Loop) continue;
      const For *inner = nest_.loops[inside.index].node;
      const auto &stmts = outer.body->stmts;
      const auto place = std::find(stmts.begin(), stmts.end(), inner);
      std::string why;
      const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, inside.index, arena_, why);
      if (place == stmts.end() || !range || range->step != 1) continue;
      std::set<std::string> unsteady = changedBy(&outer);
      walk(&outer, [&](const Declare &d) { unsteady.insert(d.name); });
      const auto steady = [&](const Expr *e) {
        return !any<VarRef>(e, [&](const VarRef &v) { return unsteady.count(v.name) != 0; });
      };
      if (!steady(range->begin) || !steady(range->end)) continue;
      const Build build(arena_, inner->range);
      HandingLoop loop;
      loop.inner = inner;
      const auto wide = [&](const Expr *e) { return build.cast(kSize, e); };
      loop.turns = build.select(build.less(range->begin, range->end), build.sub(wide(range->end), wide(range->begin)),
                                build.u64(0));
      const nest::Loop &l = nest_.loops[inside.index];
      const Expr *const iterator = wide(build.var(l.variable, l.type));
      const auto *begin = dyn<IntLit>(withoutCasts(range->begin));
      const auto behind = [&](Int more) { // the first one
        const Int far = begin ? more - begin->value : more;
        const Expr *e = begin ? iterator : build.sub(iterator, wide(range->begin));
        const Expr *const by = build.u64(static_cast<std::uint64_t>(std::abs(far)));
        return far == 0 ? e : far > 0 ? build.add(e, by) : build.sub(e, by);
      };
      loop.at = behind(0), loop.next = behind(1);
      for (auto s = stmts.begin(); s != place; ++s)
        if (const auto *d = dyn<Declare>(*s); d && d->type.isScalar() && d->extents.empty())
          if (const std::optional<std::size_t> set = setOnce(*d, *inner); set && staysInside(*d, place, stmts.end()))
            loop.scalars.push_back({d->name, names_.fresh(d->name + "_row"), d->type, *set});
      for (const auto &[variable, op] : accumulated(nest_, item.index, reorder_)) {
        const nest::Variable &v = nest_.variables[variable];
        if (v.container || v.rank > 0 || !v.scope.empty() || !neutral(build, op, v.type)) continue;
        if (nest::mentionsOf(&outer, v.name) == nest::mentionsOf(inner->body, v.name))
          loop.sums.push_back({v.name, names_.fresh(v.name + "_row"), v.type, op});
      }
      if (!loop.scalars.empty() || !loop.sums.empty()) result.push_back(std::move(loop));
    }
    return result;
  }

  static bool staysInside(const Declare &d, Stmts::const_iterator loop, Stmts::const_iterator end) {
    return std::none_of(loop + 1, end, [&](const Stmt *s) { return mentions(s, d.name); });
  }

  /// The statement of a loop that sets a scalar, the only one, in each iteration; some read it before.
  static std::optional<std::size_t> setOnce(const Declare &d, const For &loop) {
    std::optional<std::size_t> result;
    const Stmts &stmts = loop.body->stmts;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      if (!nest::changesVariable(stmts[i], d.name)) continue;
      const auto *set = nest::variableSet(stmts[i]);
      if (result || !set || as<VarRef>(set->target)->name != d.name) return {};
      result = i;
    }
    if (!result || mentions(loop.init, d.name) || mentions(loop.cond, d.name) || mentions(loop.step, d.name)) return {};
    const bool read = std::any_of(stmts.begin(), stmts.begin() + static_cast<std::ptrdiff_t>(*result),
                                  [&](const Stmt *s) { return mentions(s, d.name); }) ||
                      mentions(nest::variableSet(stmts[*result])->value, d.name);
    // A jump would leave elements that nobody sets.
    const bool jumps = contains<Break>(loop.body) || contains<Continue>(loop.body) || contains<Return>(loop.body);
    return read && !jumps ? result : std::nullopt;
  }

  const Stmt *row(const std::string &name, const Type &type, const Expr *size) const {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena_.make<Declare>(size->range, name, Type::array(1, type), false, false, std::vector<const Expr *>{size},
                                noTunable, none);
  }

  /// The loop around; `front`, `behind`: what stands there then.
  const For *changed(const For &outer, const std::vector<HandingLoop> &loops, Stmts &front, Stmts &behind) {
    const Build build(arena_, outer.range);
    const auto elementOf = [&](const auto &scalar, const Expr *at) {
      return build.element(build.var(scalar.row, Type::array(1, scalar.type)), {at}, scalar.type);
    };
    Stmts stmts;
    for (const Stmt *s : outer.body->stmts) {
      const auto loop = std::ranges::find_if(loops, [&](const HandingLoop &l) { return l.inner == s; });
      if (loop == loops.end()) {
        stmts.push_back(s);
        continue;
      }
      std::map<std::string, const Expr *> read, after;
      for (const HandedOnScalar &scalar : loop->scalars) {
        front.push_back(row(scalar.row, scalar.type, build.add(loop->turns, build.u64(1))));
        stmts.push_back(build.assign(elementOf(scalar, build.u64(0)), build.var(scalar.name, scalar.type)));
        read[scalar.name] = elementOf(scalar, loop->at);
        after[scalar.name] = elementOf(scalar, loop->next);
      }
      for (const AccumulatedScalar &sum : loop->sums) {
        front.push_back(row(sum.row, sum.type, loop->turns));
        read[sum.name] = elementOf(sum, loop->at);
        const Expr *const first = build.var(names_.fresh("element"), kSize), *const at = build.var(
                                                                                 names_.fresh("element"), kSize);
        const Expr *const all = build.var(sum.name, sum.type), *const nothing = neutral(build, sum.op, sum.type);
        const Expr *const combined = divide::combined(build, sum.op, all, elementOf(sum, at));
        front.push_back(
            counted(build, first, build.u64(0), loop->turns, {build.assign(elementOf(sum, first), nothing)}));
        behind.push_back(counted(build, at, build.u64(0), loop->turns, {build.assign(all, combined)}));
      }
      stmts.push_back(arena_.derive(loop->inner, [&](For &f) {
        f.body = arena_.derive(loop->inner->body, [&](Block &b) { b.stmts = inRows(b.stmts, *loop, read, after); });
      }));
    }
    return arena_.derive(
        &outer, [&](For &f) { f.body = arena_.derive(outer.body, [&](Block &b) { b.stmts = std::move(stmts); }); });
  }

  Stmts inRows(const Stmts &stmts, const HandingLoop &loop, std::map<std::string, const Expr *> now,
               const std::map<std::string, const Expr *> &after) {
    Stmts result;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const auto set = std::ranges::find_if(loop.scalars, [&](const auto &scalar) { return scalar.set == i; });
      if (set == loop.scalars.end()) {
        result.push_back(as<Stmt>(ScalarsByRows(now, arena_).mutate(stmts[i])));
        continue;
      }
      const Expr *value = as<Expr>(ScalarsByRows(now, arena_).mutate(nest::variableSet(stmts[i])->value));
      now[set->name] = after.at(set->name);
      result.push_back(Build(arena_, stmts[i]->range).assign(now[set->name], value));
    }
    return result;
  }

  const nest::Nest &nest_;
  bool reorder_;
  Arena &arena_;
  Names names_;
};

} // namespace

const Codelet *withRowsHandedOn(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  return nest ? HandingOn(*nest, reorder, arena).run() : &codelet;
}

} // namespace tangram::divide
