#include "InvariantDivisors.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"

#include <algorithm>
#include <cmath>

namespace tangram::invariant {

using namespace ast;

InvariantDivisors::Reciprocal InvariantDivisors::reciprocal(const Expr *divisor) {
  const auto same =
      std::find_if(known_.begin(), known_.end(), [&](const Reciprocal &r) { return equal(r.divisor, divisor); });
  if (same != known_.end()) return *same;
  const Build build(arena_, divisor->range);
  const Type type = divisor->type;
  const bool single = type == Type(Scalar::F32);
  // Divisors beyond these powers of two have no reciprocal of full precision, not even the least subnormal one.
  const double far = std::exp2(single ? 100 : 900), by = std::exp2(single ? 64 : 512);
  const auto number = [&](double value) { return arena_.make<FloatLit>(divisor->range, type, value); };
  const auto constant = [&](const std::string &name, const Expr *value) {
    const std::string own = names_.fresh(name);
    moved_.push_back(build.declare(own, type, value));
    return build.var(own, type);
  };
  Reciprocal result{divisor, nullptr, nullptr};
  if (const auto *literal = dyn<FloatLit>(divisor)) {
    const double size = std::abs(literal->value);
    if (size >= 1 / far && size <= far)
      result.value = number(single ? static_cast<float>(1 / literal->value) : 1 / literal->value);
  } else {
    const Expr *r = isa<VarRef>(divisor) ? divisor : constant("divisor", divisor);
    const Expr *size = constant(
        "size", build.select(build.less(r, number(0)), arena_.make<Unary>(divisor->range, type, UnaryOp::Minus, r), r));
    const Expr *tiny = build.less(size, number(1 / far)), *huge = build.less(number(far), size);
    result.scale = constant("scale", build.select(tiny, number(by), build.select(huge, number(1 / by), number(1))));
    result.value = constant("reciprocal", build.div(number(1), build.mul(r, result.scale)));
  }
  known_.push_back(result);
  return result;
}

const Expr *InvariantDivisors::product(const Binary *quotient) {
  const Reciprocal r = reciprocal(quotient->rhs);
  if (!r.value) return quotient;
  const Build build(arena_, quotient->range);
  const Expr *product = build.mul(quotient->lhs, r.value);
  return r.scale ? build.mul(product, r.scale) : product;
}

} // namespace tangram::invariant
