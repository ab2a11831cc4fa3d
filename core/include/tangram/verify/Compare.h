// Whether the results of a plan are right: within what roundings explain of the reference's (Reference.h).
#pragma once

#include "tangram/verify/Value.h"

namespace tangram::runtime {

/// What is expected of the elements of one argument after a call.
class Expected {
public:
  /// Each number may be `bound` away from `value`. One that is no finite number must be met; infinity: nothing is
  /// known.
  struct Number {
    double value = 0, bound = 0;
  };
  /// Exactly these.
  explicit Expected(Value values) : values_(std::move(values)) {}
  /// `numbers` of each floating field (of numbers, the only one), by position; empty: exactly `values`.
  Expected(Value values, std::vector<std::vector<Number>> numbers)
      : values_(std::move(values)), numbers_(std::move(numbers)) {}

  /// Another outcome that a right plan may have: what is an integer may also be this, numbers may be as far away.
  void alsoAccept(const Expected &other);

  const Value &values() const { return values_; }
  const std::vector<Number> *numbers(std::size_t field) const {
    return field < numbers_.size() && !numbers_[field].empty() ? &numbers_[field] : nullptr;
  }
  const std::vector<Value> &alternatives() const { return alternatives_; }
  /// Of the numbers, how many nothing is known of.
  std::uint64_t unknown() const;

private:
  Value values_;
  std::vector<std::vector<Number>> numbers_;
  std::vector<Value> alternatives_;
};

struct Mismatch {
  std::uint64_t position = 0;
  std::vector<std::uint64_t> index; // empty for a scalar
  std::string field;                // of a struct
  std::string got, expected;
  double bound = 0;        // on the difference
  std::uint64_t wrong = 0; // elements in all
};

/// The first element that differs; nothing where all agree. Both have the same element type and sizes. Structs are
/// compared field by field.
std::optional<Mismatch> compare(const Value &got, const Expected &expected);

} // namespace tangram::runtime
