#include "tangram/compose/Interval.h"

#include <algorithm>
#include <limits>

namespace tangram {
namespace {

using Bound = std::optional<std::int64_t>;
__extension__ using Wide = __int128;

Bound narrow(Wide value) {
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max()) return {};
  return static_cast<std::int64_t>(value);
}

template <class F> Bound both(const Bound &a, const Bound &b, F f) {
  if (!a || !b) return {};
  return narrow(f(Wide(*a), Wide(*b)));
}

Interval truthValue(std::optional<bool> value) { return value ? Interval::exactly(*value) : Interval::between(0, 1); }

/// a < b, by what is known.
std::optional<bool> less(const Interval &a, const Interval &b) {
  if (a.hi && b.lo && *a.hi < *b.lo) return true;
  if (a.lo && b.hi && *a.lo >= *b.hi) return false;
  return {};
}

std::optional<bool> negated(std::optional<bool> value) {
  if (value) value = !*value;
  return value;
}

} // namespace

Interval Interval::ofType(const ast::Type &type) {
  if (!type.isInteger()) return {};
  if (type.isBool()) return between(0, 1);
  unsigned bits = type.bytes() * 8;
  if (type.isSigned()) {
    std::int64_t top = bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
    return between(-top - 1, top);
  }
  return between(0, bits == 64 ? Bound{} : Bound{(std::int64_t{1} << bits) - 1});
}

std::optional<bool> Interval::truth() const {
  if (known()) return *lo != 0;
  if ((lo && *lo > 0) || (hi && *hi < 0)) return true;
  return {};
}

bool Interval::fits(const ast::Type &type) const {
  if (!type.isInteger()) return false;
  Interval all = ofType(type);
  bool low = !all.lo || (lo && *lo >= *all.lo);
  // The top of u64 is not representable; whatever is known to be below 2^63 fits.
  bool high = all.hi ? hi && *hi <= *all.hi : hi.has_value();
  return low && high;
}

Interval hull(const Interval &a, const Interval &b) {
  Interval result;
  if (a.lo && b.lo) result.lo = std::min(*a.lo, *b.lo);
  if (a.hi && b.hi) result.hi = std::max(*a.hi, *b.hi);
  return result;
}

Interval apply(ast::BinaryOp op, const Interval &a, const Interval &b) {
  using ast::BinaryOp;
  bool positive = a.lo && *a.lo >= 0 && b.lo && *b.lo >= 0;
  switch (op) {
  case BinaryOp::Add: {
    auto add = [](Wide x, Wide y) { return x + y; };
    return {both(a.lo, b.lo, add), both(a.hi, b.hi, add)};
  }
  case BinaryOp::Sub: {
    auto sub = [](Wide x, Wide y) { return x - y; };
    return {both(a.lo, b.hi, sub), both(a.hi, b.lo, sub)};
  }
  case BinaryOp::Mul: {
    auto mul = [](Wide x, Wide y) { return x * y; };
    if (positive) return {both(a.lo, b.lo, mul), both(a.hi, b.hi, mul)};
    if (!a.lo || !a.hi || !b.lo || !b.hi) return {};
    const Bound corners[] = {both(a.lo, b.lo, mul), both(a.lo, b.hi, mul), both(a.hi, b.lo, mul),
                             both(a.hi, b.hi, mul)};
    Interval result{corners[0], corners[0]};
    for (const Bound &corner : corners) {
      if (!corner) return {};
      result = hull(result, Interval::exactly(*corner));
    }
    return result;
  }
  case BinaryOp::Div:
    if (a.known() && b.known() && *b.lo > 0) return Interval::exactly(*a.lo / *b.lo);
    if (!positive || *b.lo == 0) return {};
    return {b.hi ? Bound{*a.lo / *b.hi} : Bound{0}, a.hi ? Bound{*a.hi / *b.lo} : Bound{}};
  case BinaryOp::Rem: {
    if (a.known() && b.known() && *b.lo > 0) return Interval::exactly(*a.lo % *b.lo);
    if (!positive || *b.lo == 0) return {};
    Bound hi = b.hi ? Bound{*b.hi - 1} : Bound{};
    if (a.hi && (!hi || *a.hi < *hi)) hi = a.hi;
    return {0, hi};
  }
  case BinaryOp::Shr:
    if (!positive || !b.known() || *b.lo > 62) return {};
    return {*a.lo >> *b.lo, a.hi ? Bound{*a.hi >> *b.lo} : Bound{}};
  case BinaryOp::Shl:
    if (!positive || !b.known() || *b.lo > 62) return {};
    return apply(BinaryOp::Mul, a, Interval::exactly(std::int64_t{1} << *b.lo));
  case BinaryOp::Lt: return truthValue(less(a, b));
  case BinaryOp::Gt: return truthValue(less(b, a));
  case BinaryOp::Le: return truthValue(negated(less(b, a)));
  case BinaryOp::Ge: return truthValue(negated(less(a, b)));
  case BinaryOp::Eq:
  case BinaryOp::Ne: {
    std::optional<bool> equal;
    if (a.known() && b.known())
      equal = *a.lo == *b.lo;
    else if (less(a, b) == true || less(b, a) == true)
      equal = false;
    return truthValue(op == BinaryOp::Eq ? equal : negated(equal));
  }
  case BinaryOp::LogicalAnd: {
    std::optional<bool> x = a.truth(), y = b.truth();
    if (x == false || y == false) return Interval::exactly(0);
    return truthValue(x && y ? std::optional<bool>(true) : std::nullopt);
  }
  case BinaryOp::LogicalOr: {
    std::optional<bool> x = a.truth(), y = b.truth();
    if (x == true || y == true) return Interval::exactly(1);
    return truthValue(x && y ? std::optional<bool>(false) : std::nullopt);
  }
  default: return {};
  }
}

} // namespace tangram
