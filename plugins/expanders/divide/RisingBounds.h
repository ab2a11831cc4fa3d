// Loops over segments whose bounds data says, for (e = row[i]; e < row[i + 1]; ++e) out[e] = ...: parallel where these
// rise, which is checked when the codelet is called.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"

#include <optional>

namespace tangram::divide {

struct RisingBounds {
  const ast::Codelet *codelet = nullptr;   // checks, and calls `segments` with what came out
  const ast::Spectrum *check = nullptr;    // whether elements of a container rise: 1 or 0
  const ast::Spectrum *segments = nullptr; // the codelet's loops; its first parameter says whether bounds rise
  const ast::Codelet *rising = nullptr;    // one for `segments`, where they do, to be divided
};

/// Nothing where no more loops are parallel, or reductions, if bounds rise, or they are in several containers. `name`
/// is that of the codelet that is made.
std::optional<RisingBounds> risingBounds(nest::Nests &nests, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                         const std::string &name, ast::Names &names, ast::Arena &arena);

} // namespace tangram::divide
