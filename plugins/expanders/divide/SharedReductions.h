// Reductions over windows of several dimensions, one dimension at a time.
//
// Source: G. Gautam and S. Rajopadhye, Simplifying reductions, POPL 2006: a reduction whose value does not follow all
// loops around it is computed once for those that it follows.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i) for (j) { s = e; for (y = i - r; y <= i + r; ++y) for (x...) s = min(s, in[y][x]); ... }   as
///
///   for (y) for (j) { part = neutral; for (x...) part = min(part, in[y][x]); parts[y][j] = part; }
///   for (i) for (j) { s = e; for (y = i - r; y <= i + r; ++y) s = min(s, parts[y][j]); ... }
///
/// where the inner reduction follows i by y alone, or by i + y of an y around 0. `reorder`: also sums that round;
/// `most`: elements that `parts` may have. The very same codelet where there are none.
const ast::Codelet *withSharedReductions(nest::Nests &nests, const ast::Codelet &codelet, bool reorder,
                                         std::int64_t most, ast::Arena &arena);

} // namespace tangram::divide
