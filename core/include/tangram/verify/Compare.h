// Whether the results of a plan are right: within what roundings explain of the reference's (Reference.h).
#pragma once

#include "tangram/verify/Value.h"

#include <iosfwd>

namespace tangram::runtime {

/// What roundings decide for the reference (Reference.h), in one set of arguments.
struct Undecided {
  std::uint64_t questions = 0; // comparisons and the like, of which either outcome is accepted
  std::uint64_t numbers = 0;   // results of which nothing is known, so that they are not compared
  std::uint64_t elements = 0;  // results of which outcomes differ: these may be what lies between, and around
  std::uint64_t estimated = 0; // results whose bound says nothing: what the plainest order is off by stands for it
  std::uint64_t written = 0;   // elements of results in all

  explicit operator bool() const { return questions || numbers || estimated; }
  /// In one line, for another process.
  std::string text() const;
  static Undecided fromText(const std::string &text);
  /// Where there are several sets: the worst of each.
  void include(const Undecided &other);
  /// Whether most of the results were not compared.
  bool most() const { return 2 * numbers > written; }
  /// In a sentence each, none where nothing is undecided; with advice where the user gave the arguments.
  std::vector<std::string> sentences(bool given = true) const;
};

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

  /// Another outcome that a right plan may have. There are more where two differ, of which nobody has seen all: what is
  /// an integer may be what lies between those that were seen, and outside as far as they are apart; numbers may be as
  /// far from `value` as the farthest.
  void alsoAccept(const Expected &other);

  /// To a file and from there, for arguments that are like `like`; false where that cannot be.
  bool save(std::ostream &out) const;
  static std::optional<Expected> load(std::istream &in, const Value &like);

  const Value &values() const { return values_; }
  const std::vector<Number> *numbers(std::size_t field) const {
    return field < numbers_.size() && !numbers_[field].empty() ? &numbers_[field] : nullptr;
  }
  /// The least and the greatest integer that was seen.
  struct Range {
    std::int64_t low = 0, high = 0;
    bool allows(std::int64_t got) const;
  };
  /// Of a field of integers, by position; null: there is one outcome.
  const std::vector<Range> *ranges(std::size_t field) const {
    return field < ranges_.size() && !ranges_[field].empty() ? &ranges_[field] : nullptr;
  }
  /// Of the numbers, how many nothing is known of.
  std::uint64_t unknown() const;
  /// How many elements, in all fields, have outcomes that differ.
  std::uint64_t undecided() const;
  /// How many there are, in all fields, where they are results.
  std::uint64_t written() const {
    return written_ ? values_.count() * std::max<std::size_t>(1, values_.type().fields.size()) : 0;
  }
  void setWritten(bool written) { written_ = written; }

private:
  Value values_;
  std::vector<std::vector<Number>> numbers_;
  std::vector<std::vector<Range>> ranges_;
  std::vector<std::vector<bool>> differ_; // of numbers: by more than their bounds
  bool written_ = true;
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
