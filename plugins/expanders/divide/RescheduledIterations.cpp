#include "RescheduledIterations.h"

#include "Captures.h"
#include "Rescheduling.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;
using nest::Item;
using Stmts = std::vector<const Stmt *>;

namespace {

const Stmt *statementOf(const nest::Nest &nest, const Item &item) {
  if (item.kind == Item::Kind::Statement) return nest.statements[item.index].node;
  if (item.kind == Item::Kind::Guard) return nest.guards[item.index].node;
  return nest.loops[item.index].node;
}

/// What is known of numbers where a container has fewer than 2^56 elements a dimension.
class NumbersOfIterations final : public tangram::Sizes {
public:
  using tangram::Sizes::Sizes;

private:
  Interval sizeOf(const Size &) override { return Interval::between(0, std::int64_t{1} << 56); }
};

/// What stands side by side in an iteration, from its first statement to the end of the block.
class IterationsRescheduled : public Mutator {
public:
  IterationsRescheduled(nest::Nests &nests, const nest::Nest &nest, bool reorder, Arena &arena,
                        std::vector<nest::Remark> &refused)
      : Mutator(arena), nests_(nests), nest_(nest), reorder_(reorder), refused_(refused) {
    names_.reserveAll(nest.codelet);
    assigned_ = assignedVariables(nest.codelet->body);
    look(nest.items, false);
  }

  const Codelet *run() {
    if (changed_.empty()) return nest_.codelet;
    const auto *made = as<Codelet>(mutate(nest_.codelet));
    if (placed_ != changed_.size()) return nest_.codelet;
    return arena().derive(
        made, [&](Codelet &c) { c.conditions.insert(c.conditions.end(), conditions_.begin(), conditions_.end()); });
  }

private:
  struct Changed {
    Stmts before, now;
    bool open = false; // what is behind the last one stands in its other way: if (...) continue;
  };

  static void addOnce(std::vector<const Expr *> &conditions, const Expr *one) {
    if (std::ranges::none_of(conditions, [&](const Expr *known) { return equal(known, one); }))
      conditions.push_back(one);
  }

  void look(const std::vector<Item> &items, bool inLoop) {
    const bool serial = inLoop && std::ranges::any_of(items, [&](const Item &item) {
                          return isSerialThroughout(nest_, item) && waitsInBoth(nest_, item);
                        });
    if (serial && reschedule(items)) return;
    for (const Item &item : items) {
      look(item.body, inLoop || item.kind == Item::Kind::Loop);
      look(item.otherwise, inLoop);
    }
  }

  /// As a codelet of its own, which is given what stands around; from the first such loop on, or from where its
  /// variables are declared. False where it stays as it is.
  bool reschedule(const std::vector<Item> &items) {
    auto first = std::ranges::find_if(
        items, [&](const Item &item) { return isSerialThroughout(nest_, item) && waitsInBoth(nest_, item); });
    std::string why;
    Stmts source = nest::sourceOf(nest_, {first, items.end()}, arena());
    std::optional<Captures> captures = given(source, why);
    for (; !captures && first != items.begin(); captures = given(source, why))
      source = nest::sourceOf(nest_, {--first, items.end()}, arena());
    if (!captures) {
      refused_.push_back({source.front()->range, why});
      return false;
    }
    const Build build(arena(), source.front()->range);
    Stmts all = known_;
    all.insert(all.end(), source.begin(), source.end());
    const Codelet *const iteration = arena().derive(nest_.codelet, [&](Codelet &c) {
      c.params = captures->params;
      c.conditions.clear();
      c.body = build.block(std::move(all));
    });
    const Codelet *const apart = withTables(iteration, *nest_.codelet, arena());
    const Codelet *const made = withRescheduledLoops(nests_, *apart, reorder_, arena(), refused_);
    if (made == apart) return false;
    const auto among = [](const Stmts &stmts, const Stmt *s) { return std::ranges::find(stmts, s) != stmts.end(); };
    Stmts stmts;
    for (const Stmt *s : made->body->stmts)
      if (!among(apart->body->stmts, s) || among(source, s)) stmts.push_back(s);
    std::optional<Stmts> placed = withConditions(made->conditions, source, withOtherNames(stmts, source));
    if (!placed) {
      refused_.push_back({source.front()->range, "what another order asks of sizes cannot be said in front of it"});
      return false;
    }
    Changed &changed = changed_[statementOf(nest_, *first)];
    for (auto item = first; item != items.end(); ++item) changed.before.push_back(statementOf(nest_, *item));
    changed.open = items.back().kind == Item::Kind::Guard && nest_.guards[items.back().index].skips;
    changed.now = *std::move(placed);
    return true;
  }

  /// What statements are given; what follows from sizes alone is declared in front of them.
  std::optional<Captures> given(const Stmts &source, std::string &why) {
    known_.clear();
    for (;;) {
      Stmts all = known_;
      all.insert(all.end(), source.begin(), source.end());
      std::optional<Captures> captures = capturesOf(nest_, all, {}, {}, arena(), why);
      if (!captures) return captures;
      const Declare *found = nullptr;
      walk(nest_.codelet->body, [&](const Declare &d) {
        if (followsFromSizes(d) && std::ranges::any_of(captures->params, [&](auto *p) { return p->name == d.name; }))
          found = &d;
      });
      if (!found) return captures;
      known_.insert(known_.begin(), found);
    }
  }

  bool followsFromSizes(const Declare &d) const {
    return d.init && d.type.isScalar() && d.extents.empty() && !assigned_.count(d.name) &&
           !contains<Subscript>(d.init) && !contains<Call>(d.init) && !hasEffects(d.init) &&
           !any<VarRef>(d.init, [&](const VarRef &v) { return assigned_.count(v.name) != 0; });
  }

  /// Names that were made differ from those of all that stands around.
  Stmts withOtherNames(Stmts stmts, const Stmts &source) {
    std::set<std::string> own;
    std::map<std::string, std::string> renamed;
    for (const Stmt *s : source) walk(s, [&](const Declare &d) { own.insert(d.name); });
    for (const Stmt *s : stmts)
      walk(s, [&](const Declare &d) {
        if (!own.count(d.name) && !renamed.count(d.name)) renamed[d.name] = names_.fresh(d.name);
      });
    for (const Stmt *&s : stmts) s = as<Stmt>(renameVariables(arena(), s, renamed));
    return stmts;
  }

  /// What the new order asks of the codelet's parameters is asked of the codelet, and all else where it stands, behind
  /// what is as it was.
  std::optional<Stmts> withConditions(const std::vector<const Expr *> &asked, const Stmts &source, Stmts stmts) {
    const Build build(arena(), source.front()->range);
    const Expr *here = nullptr;
    std::vector<const Expr *> ofCodelet;
    for (const Expr *e : asked) {
      const bool given = !any<VarRef>(e, [&](const VarRef &v) {
        return std::ranges::none_of(nest_.codelet->params, [&](const Param *p) { return p->name == v.name; });
      });
      if (given)
        ofCodelet.push_back(e);
      else if (NumbersOfIterations(nest_.module, *nest_.codelet, {}).value(e).truth() != true)
        here = here ? build.both(here, e) : e;
    }
    const auto [same, rest] = std::ranges::mismatch(source, stmts);
    for (auto s = same; here && s != source.end(); ++s)
      if (const auto *d = dyn<Declare>(*s); d && mentions(here, d->name)) return std::nullopt;
    for (const Expr *e : ofCodelet) addOnce(conditions_, e);
    if (!here) return stmts;
    const Stmt *otherwise = build.block(nest::copied(Stmts(same, source.end()), arena()));
    otherwise = as<Stmt>(withOwnNames(arena(), otherwise, names_));
    Stmts result(source.begin(), same);
    result.push_back(build.when(here, Stmts(rest, stmts.end()), as<Block>(otherwise)->stmts));
    return result;
  }

  const Node *mutateBlock(const Block *block) override {
    for (auto s = block->stmts.begin(); s != block->stmts.end(); ++s) {
      const auto found = changed_.find(*s);
      if (found == changed_.end()) continue;
      const auto &[before, now, open] = found->second;
      const auto [behind, missing] = std::mismatch(s, block->stmts.end(), before.begin(), before.end());
      if (missing != before.end() || (behind != block->stmts.end() && !open)) return block; // in braces of their own
      ++placed_;
      Stmts stmts(block->stmts.begin(), s);
      stmts.insert(stmts.end(), now.begin(), now.end());
      return arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
    }
    return Mutator::mutateBlock(block);
  }

  nest::Nests &nests_;
  const nest::Nest &nest_;
  bool reorder_;
  std::vector<nest::Remark> &refused_;
  Names names_;
  std::set<std::string> assigned_;
  Stmts known_;                             // declarations in front of what is in another order, for what they say
  std::map<const Stmt *, Changed> changed_; // by the first of what they replace
  std::vector<const Expr *> conditions_;
  std::size_t placed_ = 0;
};

} // namespace

const Codelet *withRescheduledIterations(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena,
                                         std::vector<nest::Remark> &refused) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return &codelet;
  return IterationsRescheduled(nests, *nest, reorder, arena, refused).run();
}

} // namespace tangram::divide
