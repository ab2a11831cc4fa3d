// Loops that add to fields of structs in a container, as a grouping of records does.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i...) { groups[g(i)].sum += x[i]; groups[g(i)].count++; }   as
///
///   sums[as groups], counts[as groups] of zero;
///   for (i...) { sums[g(i)] += x[i]; counts[g(i)]++; }
///   for (k...) { groups[k].sum += sums[k]; groups[k].count += counts[k]; }
///
/// for outermost loops that are not parallel and do nothing else with the container: each field is a container of
/// numbers, and the loop one that accumulates (Accumulations.h). `reorder`: also sums that round. The very same codelet
/// where there are none.
const ast::Codelet *withFieldSums(nest::Nests &nests, const ast::Codelet &codelet, bool reorder, ast::Arena &arena);

} // namespace tangram::divide
