#include "tangram/nest/Extremes.h"

#include "tangram/ast/Walk.h"

namespace tangram::nest {

using namespace ast;

namespace {

Extreme opposite(Extreme which) { return which == Extreme::Least ? Extreme::Greatest : Extreme::Least; }

bool mentionsAny(const Expr *e, const IteratorBox &box) {
  return any<VarRef>(e, [&](const VarRef &v) { return box.count(v.name) > 0; });
}

} // namespace

const Expr *extreme(const Build &build, const Expr *e, const IteratorBox &box, Extreme which) {
  if (!mentionsAny(e, box)) return e;
  if (!e->type.isInteger()) return nullptr;
  if (const auto *v = dyn<VarRef>(e)) {
    const Extent &of = box.at(v->name);
    return build.cast(v->type, which == Extreme::Least ? of.least : of.greatest);
  }
  if (const auto *cast = dyn<Cast>(e)) {
    if (!cast->operand->type.isInteger() || cast->type.bytes() < cast->operand->type.bytes()) return nullptr;
    const Expr *operand = extreme(build, cast->operand, box, which);
    return operand ? build.cast(cast->type, operand) : nullptr;
  }
  const auto *node = dyn<Binary>(e);
  if (!node) return nullptr;
  const bool difference = node->op == BinaryOp::Sub;
  if (node->op == BinaryOp::Mul || node->op == BinaryOp::Div) {
    const std::optional<Int> factor = literal(node->rhs);
    if (!factor || *factor < 1) return nullptr;
  } else if (node->op != BinaryOp::Add && !difference) {
    return nullptr;
  }
  const Expr *lhs = extreme(build, node->lhs, box, which);
  const Expr *rhs = extreme(build, node->rhs, box, difference ? opposite(which) : which);
  return lhs && rhs ? build.binary(node->op, lhs, rhs) : nullptr;
}

const Expr *holds(const Build &build, const Expr *condition, const IteratorBox &box, Quantifier which) {
  const auto *node = dyn<Binary>(condition);
  if (!node) return nullptr;
  if (node->op == BinaryOp::LogicalAnd) {
    const Expr *lhs = holds(build, node->lhs, box, which), *rhs = holds(build, node->rhs, box, which);
    if (which == Quantifier::Some && (!lhs || !rhs)) return lhs ? lhs : rhs;
    return lhs && rhs ? build.both(lhs, rhs) : nullptr;
  }
  const bool less = node->op == BinaryOp::Lt || node->op == BinaryOp::Le;
  if (!less && node->op != BinaryOp::Gt && node->op != BinaryOp::Ge) return nullptr;
  // Of `a < b`, the least a and the greatest b for some point, the other way round for all.
  const Extreme ofLess = which == Quantifier::Some ? Extreme::Least : Extreme::Greatest;
  const Expr *lhs = extreme(build, node->lhs, box, less ? ofLess : opposite(ofLess));
  const Expr *rhs = extreme(build, node->rhs, box, less ? opposite(ofLess) : ofLess);
  return lhs && rhs ? build.binary(node->op, lhs, rhs) : nullptr;
}

} // namespace tangram::nest
