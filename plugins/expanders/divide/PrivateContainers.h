// Temporary containers and arrays that stand in front of loops of which each iteration fills its own (array
// privatization).
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// Array<1, float> t(n); for (i...) { for (j...) t[j] = ...; ... t[j] ... }   as   for (i...) { Array<1, float> t(n);
/// ... }
///
/// where an iteration reads of t only what it has written itself, the loop is parallel then, and nobody uses t
/// elsewhere but in loops of which the same is true. The very same codelet where there are none.
const ast::Codelet *withPrivateContainers(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
