#include "InclusionExclusion.h"

#include "ReplacedLoops.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/FirstIteration.h"
#include "tangram/nest/ReusedLoads.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;

namespace {

using Conds = std::vector<const Expr *>;
constexpr std::size_t kMostSummands = 16;
constexpr unsigned kDeepestSum = 32;

/// What is added, or taken away, where conditions hold.
struct Summand {
  const Expr *expr = nullptr;
  bool minus = false;
  Conds conds;
};
using Summands = std::vector<Summand>;

bool isSame(const Summand &a, const Summand &b) {
  return a.minus == b.minus && equal(a.expr, b.expr) &&
         std::equal(a.conds.begin(), a.conds.end(), b.conds.begin(), b.conds.end(),
                    [](const Expr *x, const Expr *y) { return equal(x, y); });
}

/// The sum that an innermost loop stores to one element.
class RowSums {
public:
  RowSums(const nest::Nest &nest, unsigned row, unsigned column, bool reorder, Names &names, Arena &arena)
      : nest_(nest), row_(row), column_(column), reorder_(reorder), names_(names), arena_(arena),
        outer_(*nest.loops[row].node), inner_(*nest.loops[column].node), build_(arena, inner_.range) {}

  /// What stands for the inner loop; none where it is no such sum.
  std::vector<const Stmt *> run() {
    const auto &stmts = inner_.body->stmts;
    for (const Stmt *s : stmts) {
      const auto *d = dyn<Declare>(s);
      if (d && (!d->type.isScalar() || !d->init || hasEffects(d->init) || d->shared || d->tunable)) return {};
      if (d)
        declared_[d->name] = d;
      else if (s != stmts.back())
        return {};
    }
    const auto *e = stmts.empty() ? nullptr : dyn<Evaluate>(stmts.back());
    store_ = e ? dyn<Assign>(e->expr) : nullptr;
    target_ = store_ ? dyn<Subscript>(store_->target) : nullptr;
    if (!target_ || !isa<VarRef>(target_->base) || hasEffects(store_->value) || hasEffects(target_)) return {};
    type_ = target_->type;
    const bool whole = type_.isInteger() && !type_.isBool() && type_.bytes() >= 4;
    if (!whole && !(type_.isFloating() && !type_.isHalf() && reorder_)) return {};
    Summands all;
    if (store_->op == AssignOp::Add)
      all.push_back({target_, false, {}});
    else if (store_->op != AssignOp::Set)
      return {};
    if (!collect(store_->value, false, {}, all, 0) || !classify(all)) return {};
    return made();
  }

private:
  /// Whether whole numbers of the type keep all bits of the element's.
  bool keepsBits(const Type &type) const {
    return type_.isInteger() ? type.isInteger() && !type.isBool() && type.bytes() >= type_.bytes() : type == type_;
  }

  bool collect(const Expr *e, bool minus, const Conds &conds, Summands &all, unsigned depth) {
    if (depth > kDeepestSum || all.size() > kMostSummands) return false;
    const auto *c = dyn<Cast>(e);
    if (c && type_.isInteger() && keepsBits(c->type) && keepsBits(c->operand->type))
      return collect(c->operand, minus, conds, all, depth + 1);
    const auto *b = dyn<Binary>(e);
    if (b && (b->op == BinaryOp::Add || b->op == BinaryOp::Sub) && keepsBits(b->type))
      return collect(b->lhs, minus, conds, all, depth + 1) &&
             collect(b->rhs, minus != (b->op == BinaryOp::Sub), conds, all, depth + 1);
    const auto *v = dyn<VarRef>(e);
    const auto local = v ? declared_.find(v->name) : declared_.end();
    if (local != declared_.end() && keepsBits(v->type) && keepsBits(local->second->init->type) &&
        reads(local->second->init))
      return collect(local->second->init, minus, conds, all, depth + 1);
    if (const auto *choice = dyn<Conditional>(e); choice && reads(e))
      return collectChoice(*choice, minus, conds, all, depth + 1);
    if (!isLiteral(e, 0)) all.push_back({e, minus, conds});
    return true;
  }

  /// c ? a + b : a is a, and b where c holds.
  bool collectChoice(const Conditional &choice, bool minus, const Conds &conds, Summands &all, unsigned depth) {
    Summands then, otherwise;
    if (!collect(choice.then, minus, conds, then, depth) || !collect(choice.otherwise, minus, conds, otherwise, depth))
      return false;
    const bool more = then.size() >= otherwise.size();
    Summands &larger = more ? then : otherwise, &smaller = more ? otherwise : then;
    Conds own = conds;
    split(more ? choice.cond : build_.logicalNot(choice.cond), own);
    for (const Summand &s : smaller) {
      const auto same = std::find_if(larger.begin(), larger.end(), [&](const Summand &o) { return isSame(s, o); });
      if (same == larger.end()) return false;
      larger.erase(same);
      all.push_back(s);
    }
    for (Summand &s : larger) {
      s.conds.insert(s.conds.begin() + static_cast<std::ptrdiff_t>(conds.size()),
                     own.begin() + static_cast<std::ptrdiff_t>(conds.size()), own.end());
      all.push_back(s);
    }
    return true;
  }
  static void split(const Expr *cond, Conds &conds) {
    const auto *b = dyn<Binary>(cond);
    if (b && b->op == BinaryOp::LogicalAnd) {
      split(b->lhs, conds);
      split(b->rhs, conds);
    } else {
      conds.push_back(cond);
    }
  }

  /// Whether it is computed of elements of the container that is stored to.
  bool reads(const Expr *e) const {
    bool found = nest::mentionsOf(e, as<VarRef>(target_->base)->name) > 0;
    walk(e, [&](const VarRef &v) {
      if (const auto local = declared_.find(v.name); local != declared_.end() && !found)
        found = reads(local->second->init);
    });
    return found;
  }

  const nest::Access *accessOf(const Expr *e, bool write) const {
    for (const unsigned s : nest_.statementsOf(column_))
      for (const nest::Access &a : nest_.statements[s].accesses)
        if (a.node == e && (a.kind == nest::AccessKind::Write) == write) return &a;
    return nullptr;
  }

  struct Term {
    Summand summand;
    const nest::Access *access = nullptr;
    bool behindRow = false, behindColumn = false; // left out in the first iteration of the loop
  };

  bool classify(const Summands &all) {
    const nest::Access *store = accessOf(target_, true);
    if (!store || !store->certain) return false;
    std::vector<Term> before, taken;
    for (const Summand &s : all) {
      if (!reads(s.expr)) {
        rest_.push_back(s);
        continue;
      }
      Term t{s, isa<Subscript>(s.expr) ? accessOf(s.expr, false) : nullptr};
      for (const Expr *cond : s.conds) {
        const std::optional<bool> row = nest::isOfFirst(cond, outer_), column = nest::isOfFirst(cond, inner_);
        if (row && !*row)
          t.behindRow = true;
        else if (column && !*column)
          t.behindColumn = true;
        else
          return false;
      }
      if (!t.access) return false;
      (s.minus ? taken : before).push_back(t);
    }
    if (before.size() != 2 || taken.size() != 1) return false;
    for (const auto &[above, left] : {std::pair(0, 1), std::pair(1, 0)})
      if (isRecurrence(*store, before[above], before[left], taken[0])) {
        above_ = before[above], left_ = before[left], both_ = taken[0];
        return true;
      }
    return false;
  }

  bool isRecurrence(const nest::Access &store, const Term &above, const Term &left, const Term &both) const {
    return !above.behindColumn && !left.behindRow && both.behindRow == above.behindRow &&
           both.behindColumn == left.behindColumn && nest::followsInLaterIteration(nest_, *above.access, store, row_) &&
           nest::followsInLaterIteration(nest_, *left.access, store, column_) &&
           nest::followsInLaterIteration(nest_, *both.access, *above.access, column_) && isElsewhere(store, above);
  }

  /// Whether one iteration of the outer loop changes nothing of what it reads of the one before.
  bool isElsewhere(const nest::Access &store, const Term &above) const {
    const auto apart = nest_.isl.limited([&] {
      const auto [stored, read] = nest::comparable(store, *above.access);
      const auto ofRow = [&](const isl::set &touched) {
        return nest_.without(touched.intersect_params(nest_.assumed), {column_});
      };
      return ofRow(stored).intersect(ofRow(read)).is_empty();
    });
    return apart && *apart;
  }

  /// With what variables of the iteration stand for, in the first one.
  const Expr *atFirst(const Expr *e, unsigned depth = 0) const {
    const auto *iterator = as<Declare>(inner_.init);
    return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
      if (v->name == iterator->name) return build_.cast(v->type, iterator->init);
      const auto local = declared_.find(v->name);
      if (local == declared_.end() || depth > kDeepestSum) return v;
      return build_.cast(v->type, atFirst(local->second->init, depth + 1));
    });
  }

  const Expr *where(const Conds &conds, const Expr *e, const Expr *otherwise) const {
    const Expr *all = nullptr;
    for (const Expr *cond : conds) all = all ? build_.both(all, cond) : cond;
    return all ? build_.select(all, e, otherwise) : e;
  }

  std::vector<const Stmt *> made() {
    const Type sum = type_.isFloating() ? type_ : unsignedOf(type_);
    const auto of = [&](const Expr *e) { return build_.cast(sum, e); };
    const std::string name = names_.fresh(as<VarRef>(target_->base)->name + "_row");
    const Expr *own = build_.var(name, sum), *zero = build_.zero(sum), *first = zero;
    if (!left_.behindColumn) {
      const Expr *difference = build_.sub(of(atFirst(left_.summand.expr)),
                                          where(both_.summand.conds, of(atFirst(both_.summand.expr)), zero));
      first = build_.select(atFirst(inner_.cond), difference, zero);
    }
    const Expr *added = nullptr;
    for (const Summand &s : rest_) {
      const Expr *e = where(s.conds, of(s.expr), zero);
      added = !added ? (s.minus ? build_.sub(zero, e) : e) : s.minus ? build_.sub(added, e) : build_.add(added, e);
    }
    const Expr *above = build_.add(of(above_.summand.expr), own);
    std::vector<const Stmt *> body{build_.assign(own, build_.add(own, added ? added : zero)),
                                   build_.assign(target_, build_.cast(type_, where(above_.summand.conds, above, own)))};
    std::set<std::string> used;
    for (const Stmt *s : body) walk(s, [&](const VarRef &v) { used.insert(v.name); });
    for (auto s = inner_.body->stmts.rbegin(); s != inner_.body->stmts.rend(); ++s) {
      const auto *d = dyn<Declare>(*s);
      if (!d || !used.count(d->name)) continue;
      walk(d->init, [&](const VarRef &v) { used.insert(v.name); });
      body.insert(body.begin(), d);
    }
    return {build_.declare(name, sum, first, false),
            arena_.derive(&inner_, [&](For &f) { f.body = build_.block(std::move(body)); })};
  }
  static Type unsignedOf(const Type &type) { return type.bytes() == 8 ? Scalar::U64 : Scalar::U32; }

  const nest::Nest &nest_;
  unsigned row_, column_;
  bool reorder_;
  Names &names_;
  Arena &arena_;
  const For &outer_, &inner_;
  Build build_;
  const Assign *store_ = nullptr;
  const Subscript *target_ = nullptr;
  Type type_;
  std::map<std::string, const Declare *> declared_; // of an iteration
  Summands rest_;
  Term above_, left_, both_;
};

class RowSumLoops : public ReplacedLoops {
public:
  RowSumLoops(const nest::Nest &nest, bool reorder, Arena &arena) : ReplacedLoops(arena) {
    Names names;
    names.reserveAll(nest.codelet);
    for (unsigned l = 0; l < nest.loops.size(); ++l) {
      const For *loop = nest.loops[l].node;
      const auto *iterator = dyn<Declare>(loop->init);
      if (!nest.loops[l].parent || !iterator || !iterator->init || !loop->cond || contains<For>(loop->body)) continue;
      std::vector<const Stmt *> sums = RowSums(nest, *nest.loops[l].parent, l, reorder, names, arena).run();
      if (!sums.empty()) made[loop] = std::move(sums);
    }
  }
};

} // namespace

const Codelet *withRowSums(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena) {
  // A container that one expression, or several of a body, read three times and more.
  bool may = false;
  walk(codelet.body, [&](const For &f) {
    std::map<std::string, std::size_t> mentioned;
    if (contains<For>(f.body)) return;
    walk(f.body, [&](const Subscript &e) {
      if (const auto *base = dyn<VarRef>(e.base)) may |= ++mentioned[base->name] >= 4;
    });
  });
  const nest::Nest *const nest = may ? nests.of(codelet) : nullptr;
  if (!nest) return &codelet;
  return as<Codelet>(RowSumLoops(*nest, reorder, arena).mutate(&codelet));
}

} // namespace tangram::divide
