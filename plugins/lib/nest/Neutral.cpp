#include "tangram/nest/Neutral.h"

#include <limits>

namespace tangram::nest {

using namespace ast;

namespace {

Int endOf(const Type &t, bool most) {
  unsigned bits = t.bytes() * 8;
  if (!t.isSigned()) return most ? (bits == 64 ? -1 : static_cast<Int>((std::uint64_t{1} << bits) - 1)) : 0;
  Int highest = bits == 64 ? std::numeric_limits<Int>::max() : (Int{1} << (bits - 1)) - 1;
  return most ? highest : -highest - 1;
}

} // namespace

const Expr *neutral(const Build &build, ReductionOp op, const Type &type) {
  bool floating = type.isFloating();
  if (type.isBool() && (op == ReductionOp::And || op == ReductionOp::Or || op == ReductionOp::Xor))
    return build.boolean(op == ReductionOp::And);
  if (!type.isScalar() || type.isBool() || type.isHalf()) return nullptr;
  auto real = [&](double value) -> const Expr * { return build.arena().make<FloatLit>({}, type, value); };
  switch (op) {
  case ReductionOp::Add: return floating ? real(0) : build.integer(type, 0);
  case ReductionOp::Mul: return floating ? real(1) : build.integer(type, 1);
  case ReductionOp::Min:
    return floating ? real(std::numeric_limits<double>::infinity()) : build.integer(type, endOf(type, true));
  case ReductionOp::Max:
    return floating ? real(-std::numeric_limits<double>::infinity()) : build.integer(type, endOf(type, false));
  case ReductionOp::And: return floating ? nullptr : build.integer(type, -1);
  case ReductionOp::Or:
  case ReductionOp::Xor: return floating ? nullptr : build.integer(type, 0);
  }
  return nullptr;
}

} // namespace tangram::nest
