#include "tangram/verify/Compare.h"

#include <cmath>
#include <cstring>

namespace tangram::runtime {
namespace {

bool within(double got, const Expected::Number &expected) {
  if (std::isnan(expected.value)) return std::isnan(got);
  if (std::isinf(expected.bound)) return true;
  return got == expected.value || std::abs(got - expected.value) <= expected.bound;
}

/// As the type that it is compared in writes it.
std::string numberText(double value, tangram_element element) {
  Value one = Value::scalar(element);
  one.setReal(0, value);
  return one.text(0);
}

/// Whether all elements have the same bytes; false where that is not told quickly.
bool sameBytes(const Value &a, const Value &b) {
  return a.type() == b.type() && a.sizes() == b.sizes() && a.contiguous() && b.contiguous() &&
         std::memcmp(a.data(), b.data(), a.count() * a.type().bytes) == 0;
}

/// One field of all elements.
std::optional<Mismatch> compareField(const Value &got, const Expected &expected, std::size_t field) {
  const Value wanted = expected.values().field(field);
  const std::vector<Expected::Number> *numbers = expected.numbers(field);
  std::vector<Value> alternatives;
  for (const Value &other : expected.alternatives())
    alternatives.push_back(const_cast<Value &>(other).field(field)); // a view of it
  std::optional<Mismatch> first;
  for (std::uint64_t i = 0; i < wanted.count(); ++i) {
    double limit = 0;
    std::string text;
    if (wanted.isFloating()) {
      double g = got.real(i);
      Expected::Number number = numbers ? (*numbers)[i] : Expected::Number{wanted.real(i), 0};
      if (within(g, number)) continue;
      limit = number.bound;
      if (!first) text = numberText(number.value, wanted.element());
    } else {
      std::int64_t g = got.integer(i);
      bool right = g == wanted.integer(i);
      for (std::size_t a = 0; a < alternatives.size() && !right; ++a) right = g == alternatives[a].integer(i);
      if (right) continue;
      if (!first) text = wanted.text(i);
    }
    if (!first) first = Mismatch{i, wanted.index(i), "", got.text(i), text, limit, 0};
    ++first->wrong;
  }
  return first;
}

} // namespace

void Expected::alsoAccept(const Expected &other) {
  alternatives_.push_back(other.values_.copy());
  for (std::size_t f = 0; f < numbers_.size(); ++f)
    for (std::size_t i = 0; i < numbers_[f].size(); ++i) {
      Number &mine = numbers_[f][i];
      const Number &theirs = other.numbers_[f][i];
      if (!std::isfinite(mine.value) || !std::isfinite(theirs.value)) {
        if (!(mine.value == theirs.value)) mine = {0, std::numeric_limits<double>::infinity()};
        continue;
      }
      mine.bound = std::max(mine.bound, std::abs(theirs.value - mine.value) + theirs.bound);
    }
}

std::uint64_t Expected::unknown() const {
  std::uint64_t count = 0;
  for (const std::vector<Number> &field : numbers_)
    for (const Number &n : field) count += std::isinf(n.bound);
  return count;
}

std::optional<Mismatch> compare(const Value &got, const Expected &expected) {
  const Element &type = expected.values().type();
  bool exactly = true;
  for (std::size_t f = 0; f < type.fields.size(); ++f) exactly &= !expected.numbers(f);
  if (exactly && sameBytes(got, expected.values())) return std::nullopt; // what is only read, say
  if (!type.isStruct()) return compareField(got, expected, 0);
  std::optional<Mismatch> first;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    std::optional<Mismatch> here = compareField(got.field(f), expected, f);
    if (!here) continue;
    here->field = type.fields[f].name;
    std::uint64_t wrong = std::max(here->wrong, first ? first->wrong : 0);
    if (!first || here->position < first->position) first = std::move(here);
    first->wrong = wrong;
  }
  return first;
}

} // namespace tangram::runtime
