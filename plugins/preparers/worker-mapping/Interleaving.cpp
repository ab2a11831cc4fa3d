#include "Interleaving.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"

#include <map>

namespace tangram::mapping {

using namespace ast;

namespace {

class Matcher {
public:
  Matcher(const Loop &outer, std::uint64_t units, const KnownValues &known)
      : outer_(outer), units_(static_cast<Int>(units)), known_(known) {}

  std::optional<Iterations> run(Arena &arena) {
    const auto &stmts = outer_.body->stmts;
    if (stmts.empty() || !isLiteral(outer_.begin, 0) || literal(outer_.end) != units_) return {};
    const auto *inner = dyn<Loop>(stmts.back());
    if (!inner || inner->policy != Policy::Distribute) return {};
    for (const Stmt *s : stmts) {
      if (s == inner) break;
      const auto *d = dyn<Declare>(s);
      if (!d || !d->isConst || !d->init || !d->extents.empty()) return {};
      own_[d->name] = d->init;
    }
    const auto isOwn = [&](const VarRef &v) { return v.name == outer_.var || own_.count(v.name) != 0; };
    if (any<VarRef>(inner->body, isOwn)) return {};
    if (contains<Sync>(inner->body) || contains<Single>(inner->body) || contains<Cooperate>(inner->body)) return {};

    const auto [from, end] = least(inner->begin);
    const auto [to, sameEnd] = least(inner->end);
    if (!from || !to || !equal(end, sameEnd) || any<VarRef>(end, isOwn)) return {};
    // to = from + chunk, where from is the part's
    const auto *reach = dyn<Binary>(to);
    if (!reach || reach->op != BinaryOp::Add || !equal(reach->lhs, inner->begin)) return {};
    const Expr *chunk = reach->rhs, *begin = nullptr;
    const auto isPlace = [&](const Expr *e) { // k * chunk
      const auto *product = dyn<Binary>(e);
      const auto *k = product && product->op == BinaryOp::Mul ? dyn<VarRef>(product->lhs) : nullptr;
      return k && k->name == outer_.var && equal(product->rhs, chunk);
    };
    if (const auto *sum = dyn<Binary>(from); sum && sum->op == BinaryOp::Add && isPlace(sum->rhs))
      begin = sum->lhs;
    else if (isPlace(from))
      begin = outer_.begin;
    if (!begin || any<VarRef>(begin, isOwn) || !covers(chunk, begin, end)) return {};
    return Iterations{Build(arena, outer_.range).cast(inner->varType, begin), end, inner};
  }

private:
  const Expr *resolved(const Expr *e) const {
    for (const auto *v = dyn<VarRef>(e); v; v = dyn<VarRef>(e)) {
      const auto own = own_.find(v->name);
      if (own == own_.end()) break;
      e = own->second;
    }
    return e;
  }

  /// a and b of min(a, b), a resolved; nulls where it is something else.
  std::pair<const Expr *, const Expr *> least(const Expr *e) const {
    const auto *choice = dyn<Conditional>(resolved(e));
    const auto *cond = choice ? dyn<Binary>(choice->cond) : nullptr;
    if (!cond || cond->op != BinaryOp::Lt || !equal(cond->lhs, choice->then) || !equal(cond->rhs, choice->otherwise))
      return {};
    return {resolved(choice->then), choice->otherwise};
  }

  /// Whether chunk is (end - begin + (units - 1)) / units.
  bool covers(const Expr *chunk, const Expr *begin, const Expr *end) const {
    const auto value = [&](const Expr *e) {
      const auto *v = dyn<VarRef>(e);
      const Expr *init = v ? known_.initialiser(v->name) : nullptr;
      return init ? init : e;
    };
    const auto *quotient = dyn<Binary>(value(chunk));
    const auto *rounded = quotient && quotient->op == BinaryOp::Div && literal(quotient->rhs) == units_
                              ? dyn<Binary>(quotient->lhs)
                              : nullptr;
    if (!rounded || rounded->op != BinaryOp::Add || literal(rounded->rhs) != units_ - 1) return false;
    if (isLiteral(begin, 0) && equal(rounded->lhs, end)) return true;
    const auto *all = dyn<Binary>(value(rounded->lhs));
    return all && all->op == BinaryOp::Sub && equal(all->lhs, end) && equal(all->rhs, begin);
  }

  const Loop &outer_;
  Int units_;
  const KnownValues &known_;
  std::map<std::string, const Expr *> own_; // declared in front of the inner loop
};

} // namespace

std::optional<Iterations> iterationsOf(const Loop &outer, std::uint64_t units, Arena &arena, const KnownValues &known) {
  return Matcher(outer, units, known).run(arena);
}

} // namespace tangram::mapping
