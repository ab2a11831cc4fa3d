// Small whole numbers, of which sums, of products of two as well, are whole numbers that the type holds, in whatever
// order they are added: results are exact, so that nothing which is missing is within a bound (docs/verification.md).
//
// Of more than 2^23 elements most would have to be zero. So there are passes: in each other elements are zero, at the
// same places in all arguments of a length, and none is zero in all. The first and the last one never are.
#pragma once

#include "tangram/verify/Value.h"

namespace tangram::runtime {

/// Small pseudo-random numbers that are the same on every machine.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [lo, hi].
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  double unit(); // [-1, 1]

private:
  std::uint64_t state_;
};

/// The elements of an argument in turn: from -2 to 2, or -1 and 1 where there are many, as well of f16 and bf16: so
/// sums that a kernel keeps in a wider type mostly fit when they are stored.
class WholeNumbers {
public:
  /// More passes than these are not made: of more than 2^25 elements some are zero in all.
  static constexpr std::uint64_t kMostPasses = 4;

  WholeNumbers(std::uint64_t seed, std::uint64_t elements, tangram_element element, std::uint64_t pass = 0);
  /// How many passes it takes until each element was another number than zero.
  static std::uint64_t passes(std::uint64_t elements, tangram_element element);

  /// The next element. `zeros`: it may be 0 also where few enough are added.
  std::int64_t next(bool zeros);

private:
  Random random_;
  std::uint64_t elements_, pass_, index_ = 0;
  std::uint64_t parts_; // of the elements, one of which is not zero
  bool few_;            // enough for 2 and -2
};

/// The most passes that a floating-point field of these needs; 0: there is no such field.
std::uint64_t wholePasses(const std::vector<Value> &values);

/// Puts such numbers in the place of a value's floating ones; zeros and what is no finite number stay. `fillZeros`:
/// zeros do not.
void makeWhole(Value &value, std::uint64_t seed, std::uint64_t pass = 0, bool fillZeros = false);

/// Puts 1 in the place of zeros, integers included.
void replaceZeros(Value &value);
bool hasZero(const Value &value);

/// Whether there are elements, and all of them are zero.
bool allZero(const std::vector<Value> &values);

} // namespace tangram::runtime
