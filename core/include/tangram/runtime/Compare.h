// Whether two results of one computation agree.
//
// Integers must be equal. Floats may differ by what another order of evaluation explains:
//     |got - expected| <= eps * (terms + 2) * max(1, |expected|)
// where eps is the spacing of the type at 1 and `terms` how many elements may have been combined into one. Inputs are
// in [-1, 1] where this is used. On inputs that are small whole numbers sums and products are exact in any order:
// there, where the expected value is itself a whole number that the type holds exactly, `terms` counts as 2. Infinities
// must be the same, and a NaN must be met by a NaN. `exact`: floats must be equal.
#pragma once

#include "tangram/runtime/Value.h"

namespace tangram::runtime {

struct Bound {
  std::uint64_t terms = 0;
  bool wholeInputs = false;
  bool exact = false;
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
std::optional<Mismatch> compare(const Value &got, const Value &expected, const Bound &bound);

} // namespace tangram::runtime
