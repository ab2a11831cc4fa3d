#include "tangram/runtime/Compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tangram::runtime {
namespace {

double allowed(double expected, tangram_element element, const Bound &bound) {
  bool single = element == TANGRAM_F32;
  double eps = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  double exactUpTo = single ? 0x1p24 : 0x1p53;
  double terms = static_cast<double>(bound.terms);
  if (bound.wholeInputs && std::abs(expected) < exactUpTo && expected == std::trunc(expected))
    terms = std::min(terms, 2.0);
  return eps * (terms + 2) * std::max(1.0, std::abs(expected));
}

} // namespace

std::optional<Mismatch> compare(const Value &got, const Value &expected, const Bound &bound) {
  std::optional<Mismatch> first;
  if (expected.type().isStruct()) {
    for (std::size_t f = 0; f < expected.type().fields.size(); ++f) {
      std::optional<Mismatch> here = compare(got.field(f), expected.field(f), bound);
      if (!here) continue;
      here->field = expected.type().fields[f].name;
      if (first && first->position <= here->position)
        first->wrong = std::max(first->wrong, here->wrong);
      else
        first = std::move(here);
    }
    return first;
  }
  auto differs = [&](std::uint64_t i, double limit) {
    if (!first) first = Mismatch{i, expected.index(i), "", got.text(i), expected.text(i), limit, 0};
    ++first->wrong;
  };
  for (std::uint64_t i = 0; i < expected.count(); ++i) {
    if (!expected.isFloating()) {
      if (got.integer(i) != expected.integer(i)) differs(i, 0);
      continue;
    }
    double g = got.real(i), e = expected.real(i);
    if (std::isnan(e) || std::isinf(e)) {
      if (std::isnan(e) ? !std::isnan(g) : g != e) differs(i, 0);
      continue;
    }
    double limit = bound.exact ? 0 : allowed(e, expected.element(), bound);
    if (!(std::abs(g - e) <= limit)) differs(i, limit);
  }
  return first;
}

} // namespace tangram::runtime
