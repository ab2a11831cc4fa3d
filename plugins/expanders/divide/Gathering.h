// Loops that scatter sums, as loops over what is summed up.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with each of its outermost loops that updates elements from many iterations as loops over the elements,
/// of which each goes through its own updates, in the order that they had (the owner-computes rule), where that leaves
/// more loops parallel from outside: of
///
///   for (i...) for (k...) c[i + k] += a[i] * b[k];
///
/// one over i + k, with a loop over those i that leave k in its range. The codelet itself where nothing changes.
const ast::Codelet *withGatheredUpdates(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
