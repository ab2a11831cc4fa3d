// Small whole numbers, of which sums, of products of two as well, are whole numbers that the type holds, in whatever
// order they are added: results are exact, so that nothing which is missing is within a bound (docs/verification.md).
//
// There are passes of two kinds. Plain ones have numbers from -2 to 2, or 1 and -1 where there are many; of more than
// 2^23 elements most would have to be zero, so in each pass other ones are, at the same places in all arguments of a
// length, and none is zero in all. The first and the last one never are. Wide passes have numbers as large as sums of
// products of two with signs by chance allow: one that is taken for another is seldom the same. One
// pass more has negative ones alone: the greatest of them is none that a loop should have begun with.
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

/// Which whole numbers all arguments of a call have.
struct WholePass {
  std::uint64_t number = 0; // of all passes: there are other numbers in each
  std::uint64_t among = 0;  // of a wide one: elements of the longest argument; 0: a plain one
  bool negative = false;    // of a wide one: all are, so that 0 is the greatest of none
};

/// The passes that arguments need for one element in the place of another, among those of one sum, to show with a
/// probability of 1 - 2^-kBits; of more than 2^24 elements it is less, as docs/verification.md says.
class WholePasses {
public:
  static constexpr double kBits = 10;
  /// More plain and wide ones than these are not made: of more than 2^25 elements some are zero in all plain ones.
  static constexpr std::uint64_t kMostPlain = 4, kMostWide = 8;

  /// A floating-point argument, or a field of one.
  void add(std::uint64_t elements, tangram_element element);
  /// The most telling ones first: as many plain ones as it takes until no element was zero in all, wide ones, others.
  /// Of arguments of two elements and more one wide one is negative, beside those that are needed.
  std::vector<WholePass> all() const;

private:
  std::vector<std::pair<std::uint64_t, tangram_element>> arguments_;
};

/// The elements of an argument in turn.
class WholeNumbers {
public:
  WholeNumbers(std::uint64_t seed, std::uint64_t elements, tangram_element element, WholePass pass = {});
  /// The next element. `zeros`: it may be 0 also where few enough are added.
  std::int64_t next(bool zeros);

  /// With which probability two elements of an argument are the same.
  double alike() const;

private:
  bool isZero(std::uint64_t i) const;
  std::int64_t drawn(bool zeros);

  Random random_;
  std::uint64_t elements_, index_ = 0;
  WholePass pass_;
  std::uint64_t parts_; // of a plain pass: of so many elements one is not zero
  bool few_;            // enough for 2 and -2
  // Of a wide pass: up to `width_`, with the chance `more_` of 2^32 one more; `kept_` of 2^32 elements are not zero.
  std::uint64_t width_ = 1, more_ = 0, kept_ = 1ull << 32;
  bool hasPeaks_ = false;
};

/// The passes for the floating-point fields of these; none where there is no such field.
std::vector<WholePass> wholePasses(const std::vector<Value> &values);

/// Where what is expected of all trials is kept, or many candidates are called: so many passes.
inline constexpr std::size_t kMostWhole = 4;

/// Puts such numbers in the place of a value's floating ones; zeros and what is no finite number stay. `fillZeros`:
/// zeros do not. In the place of a fraction that is no element but an argument comes a power of two that is no larger.
void makeWhole(Value &value, std::uint64_t seed, WholePass pass = {}, bool fillZeros = false);

/// Puts 1 in the place of zeros, integers included.
void replaceZeros(Value &value);
bool hasZero(const Value &value);

/// Whether there are elements, and all of them are zero.
bool allZero(const std::vector<Value> &values);

} // namespace tangram::runtime
