#include "tangram/nest/FirstIteration.h"

#include "tangram/ast/Compare.h"
#include "tangram/nest/Casts.h"

namespace tangram::nest {

using namespace ast;

namespace {

/// Without casts that change no value.
const Expr *valueWithin(const Expr *e) {
  for (e = withoutWidening(e); isa<Cast>(e) && bool(as<Cast>(e)->exact);) e = withoutWidening(as<Cast>(e)->operand);
  return e;
}

} // namespace

std::optional<bool> isOfFirst(const Expr *cond, const For &loop) {
  if (const auto *u = dyn<Unary>(cond); u && u->op == UnaryOp::Not && u->operand->type.isBool()) {
    const std::optional<bool> other = isOfFirst(u->operand, loop);
    return other ? std::optional(!*other) : std::nullopt;
  }
  const auto *b = dyn<Binary>(cond);
  const auto *iterator = dyn<Declare>(loop.init);
  if (!b || !iterator || !iterator->init) return std::nullopt;
  const Expr *begin = valueWithin(iterator->init), *lhs = valueWithin(b->lhs), *rhs = valueWithin(b->rhs);
  const auto isIterator = [&](const Expr *e) {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == iterator->name;
  };
  BinaryOp op = b->op;
  if (isIterator(rhs)) {
    std::swap(lhs, rhs);
    op = op == BinaryOp::Lt   ? BinaryOp::Gt
         : op == BinaryOp::Gt ? BinaryOp::Lt
         : op == BinaryOp::Le ? BinaryOp::Ge
         : op == BinaryOp::Ge ? BinaryOp::Le
                              : op;
  }
  if (!isIterator(lhs)) return std::nullopt;
  const std::optional<Int> first = literal(begin), number = literal(rhs);
  const bool atFirst = first && number ? *first == *number : equal(begin, rhs);
  const bool atSecond = first && number && *number == *first + 1;
  if (atFirst && op == BinaryOp::Ne) return false;
  if (atFirst && op == BinaryOp::Eq) return true;
  // Numbers that are not below 0 are as large without a sign.
  const bool widened = withoutWidening(b->lhs) != b->lhs || withoutWidening(b->rhs) != b->rhs;
  if (!(first && *first >= 0) && widened) return std::nullopt;
  const auto *step = dyn<Unary>(loop.step);
  if (!step || (step->op != UnaryOp::PreInc && step->op != UnaryOp::PostInc)) return std::nullopt;
  if ((atFirst && op == BinaryOp::Gt) || (atSecond && op == BinaryOp::Ge)) return false;
  if ((atFirst && op == BinaryOp::Le) || (atSecond && op == BinaryOp::Lt)) return true;
  return std::nullopt;
}

const Expr *laterWay(const Conditional &choice, const For &loop) {
  const std::optional<bool> first = isOfFirst(choice.cond, loop);
  return !first ? nullptr : *first ? choice.otherwise : choice.then;
}

} // namespace tangram::nest
