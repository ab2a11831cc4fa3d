// What is known of an integer: between lo and hi, where either may be unknown. Results that would leave 64 bits, or
// the type of an expression, are unknown: nothing is proved from a value that may have wrapped.
#pragma once

#include "tangram/ast/Attributes.h"

#include <cstdint>
#include <optional>

namespace tangram {

struct Interval {
  std::optional<std::int64_t> lo, hi;

  static Interval exactly(std::int64_t value) { return {value, value}; }
  static Interval between(std::int64_t lo, std::optional<std::int64_t> hi) { return {lo, hi}; }
  /// Every value of a type; nothing known of one that is no integer.
  static Interval ofType(const ast::Type &type);

  bool known() const { return lo && hi && *lo == *hi; }
  /// Nothing where the interval is not all true or all false.
  std::optional<bool> truth() const;
  /// True where every value fits the type.
  bool fits(const ast::Type &type) const;
};

/// Unknown for operators and signs that nothing is concluded from.
Interval apply(ast::BinaryOp op, const Interval &a, const Interval &b);
Interval hull(const Interval &a, const Interval &b);

} // namespace tangram
