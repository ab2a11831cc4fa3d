#include "tangram/nest/AscendingLoops.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

namespace tangram::nest {

using namespace ast;

namespace {

class Ascending : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateFor(const For *loop) override {
    const auto *iterator = dyn<Declare>(loop->init);
    const auto *cond = dyn<Binary>(loop->cond);
    if (!iterator || !cond || !countsDown(*loop, *iterator) || !handsOn(*loop)) return Mutator::mutateFor(loop);
    const Build build(arena(), loop->range);
    const Expr *const first = build.cast(iterator->type, iterator->init);
    const Expr *const turn = build.var(iterator->name, iterator->type);
    // Nothing wraps around that did not: n - 1, ..., 0 are n numbers.
    const bool alsoZero = cond->op == BinaryOp::Ge && isLiteral(withoutWidening(cond->rhs), 0);
    const auto *below = dyn<Binary>(first);
    const bool isBelow = alsoZero && below && below->op == BinaryOp::Sub && isLiteral(below->rhs, 1);
    return arena().derive(loop, [&](For &f) {
      f.init = arena().derive(iterator, [&](Declare &d) { d.init = build.integer(iterator->type, 0); });
      f.cond = build.binary(alsoZero && !isBelow ? BinaryOp::Le : BinaryOp::Lt, turn, isBelow ? below->lhs : first);
      f.step = arena().make<Unary>(loop->step->range, iterator->type, UnaryOp::PreInc, turn);
      f.body = substituted(arena(), loop->body, [&](const VarRef *v) -> const Expr * {
        return v->name == iterator->name ? build.sub(first, turn) : v;
      });
    });
  }

  /// In steps of one, as long as it is at least 0 or 1, from what stays the same meanwhile.
  static bool countsDown(const For &loop, const Declare &iterator) {
    const auto *step = dyn<Unary>(loop.step);
    const auto *cond = as<Binary>(loop.cond);
    const auto isIterator = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == iterator.name; };
    if (!iterator.init || !iterator.extents.empty() || !iterator.type.isInteger() || hasEffects(iterator.init) ||
        !step || (step->op != UnaryOp::PreDec && step->op != UnaryOp::PostDec) || !isIterator(step->operand) ||
        !isIterator(cond->lhs))
      return false;
    const Expr *const end = withoutWidening(cond->rhs);
    const bool isSigned = iterator.type.isSigned();
    if (!(cond->op == BinaryOp::Gt && isLiteral(end, 0)) && !(cond->op == BinaryOp::Ge && isLiteral(end, 1)) &&
        !(cond->op == BinaryOp::Ge && isLiteral(end, 0) && isSigned))
      return false;
    const std::set<std::string> assigned = assignedVariables(loop.body);
    return assigned.count(iterator.name) == 0 && !contains<Subscript>(iterator.init) &&
           !any<VarRef>(iterator.init, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
  }

  /// Innermost, and its iterations set a scalar that they do not declare.
  static bool handsOn(const For &loop) {
    if (contains<For>(loop.body) || contains<While>(loop.body) || contains<DoWhile>(loop.body)) return false;
    std::set<std::string> assigned = assignedVariables(loop.body);
    walk(loop.body, [&](const Declare &d) { assigned.erase(d.name); });
    return !assigned.empty();
  }
};

} // namespace

const Codelet *withAscendingLoops(const Codelet *codelet, Arena &arena) {
  return as<Codelet>(Ascending(arena).mutate(codelet));
}

} // namespace tangram::nest
