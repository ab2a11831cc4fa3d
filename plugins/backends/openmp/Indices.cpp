#include "Indices.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"

#include <cstdlib>

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr Int kFarthest = 1 << 20;

} // namespace

std::optional<Int> number(const Expr *e) {
  e = withoutCasts(e);
  const auto *n = dyn<IntLit>(e);
  return n ? std::optional(n->value) : std::nullopt;
}

std::optional<Strided> strided(const Expr *index, Arena &arena) {
  const Type of = index->type.element();
  if (!(of == Type(Scalar::U64) || of == Type(Scalar::I64) || of == Type(Scalar::I32))) return {};
  if (isa<LaneIndex>(index)) return Strided{nullptr, 1, nullptr};
  const Build b(arena, index->range);
  if (const auto *same = dyn<Broadcast>(index)) return Strided{b.cast(Scalar::U64, same->operand), 0, nullptr};
  if (const auto *cast = dyn<Cast>(index)) { // one that cuts numbers off keeps no distances
    if (cast->operand->type.element().bytes() > of.bytes()) return {};
    return strided(cast->operand, arena);
  }
  const auto *n = dyn<Binary>(index);
  if (n && n->op == BinaryOp::Div) {
    const auto *by = dyn<Broadcast>(n->rhs);
    const Int each = by ? number(by->operand).value_or(0) : 0;
    return isa<LaneIndex>(n->lhs) && each > 0 ? std::optional(Strided{nullptr, 1, nullptr, each}) : std::nullopt;
  }
  if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub && n->op != BinaryOp::Mul)) return {};
  std::optional<Strided> x = strided(n->lhs, arena), y = strided(n->rhs, arena);
  if (!x || !y) return {};
  if (n->op == BinaryOp::Mul) {
    if (x->step == 0) std::swap(x, y);
    if (y->step != 0 || !y->first) return {};
    const std::optional<Int> by = number(y->first);
    if (by && (std::abs(*by) > kFarthest || std::abs(x->step) > kFarthest)) return {};
    return Strided{x->first ? b.mul(x->first, y->first) : nullptr, by ? x->step * *by : x->step,
                   by || x->step == 0 ? x->stride
                   : x->stride        ? b.mul(x->stride, y->first)
                                      : y->first,
                   x->each};
  }
  const bool alike =
      x->step == 0 || y->step == 0 ||
      ((x->stride && y->stride ? equal(x->stride, y->stride) : x->stride == y->stride) && x->each == y->each);
  if (!alike) return {};
  const Expr *stride = x->step == 0 ? y->stride : x->stride;
  const Int each = x->step == 0 ? y->each : x->each;
  if (n->op == BinaryOp::Add)
    return Strided{x->first && y->first ? b.add(x->first, y->first)
                   : x->first           ? x->first
                                        : y->first,
                   x->step + y->step, stride, each};
  return Strided{y->first ? b.sub(x->first ? x->first : b.u64(0), y->first) : x->first, x->step - y->step, stride,
                 each};
}

namespace {

/// Adds a term to the sum; false where that is another one of the lanes, or no scalar.
bool addTerm(const Expr *e, const Build &b, Near &sum) {
  if (const auto *n = dyn<Binary>(e); n && n->op == BinaryOp::Add)
    return addTerm(n->lhs, b, sum) && addTerm(n->rhs, b, sum);
  if (const auto *same = dyn<Broadcast>(e)) {
    const Expr *term = b.cast(Scalar::U64, same->operand);
    sum.first = sum.first ? b.add(sum.first, term) : term;
    return true;
  }
  const auto *cast = dyn<Cast>(e);
  if (!cast || sum.lanes || !(cast->operand->type.element() == Type(Scalar::I32))) return false;
  sum.lanes = cast->operand;
  return true;
}

} // namespace

std::optional<Near> near(const Expr *index, Arena &arena) {
  const Build b(arena, index->range);
  Near sum;
  if (!(index->type.element() == Type(Scalar::U64)) || !addTerm(index, b, sum) || !sum.lanes) return {};
  if (!sum.first) sum.first = b.u64(0);
  return sum;
}

} // namespace tangram::openmp
