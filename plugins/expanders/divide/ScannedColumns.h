// Columns that are scanned, all of them side by side: a parallel loop around one that carries a running value.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with such a loop as three: parts of all columns say what they add to the running value, each column
/// scans that, and parts of all columns go through their rows from there (reduce, then scan).
///
///   for (x...) { s = 0; for (y...) { s += a[y][x]; b[y][x] = s; } }
///
/// becomes, of parts of `rows` rows,
///
///   for (p...) for (x...) { s = 0; for (y in part p) s += a[y][x]; totals[p][x] = s; }
///   for (x...) { s = 0; for (p...) { begins[p][x] = s; s += totals[p][x]; } }
///   for (p...) for (x...) { s = begins[p][x]; for (y in part p) { s += a[y][x]; b[y][x] = s; } }
///
/// of which the first and the last have as many parallel iterations as there are columns and parts. `reorder`:
/// floating-point numbers may be added in another order. The very same codelet where there is no such loop
/// over elements that lie side by side.
const ast::Codelet *withScannedColumns(nest::Nests &nests, const ast::Codelet &codelet, std::int64_t rows, bool reorder,
                                       ast::Arena &arena);

} // namespace tangram::divide
