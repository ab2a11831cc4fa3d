// Arrays of a codelet's own that loops share.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// Arrays that are declared outside of all loops, `unsigned table[256];`, as containers, where a loop of unknown length
/// uses them that may be divided then: containers are handed over, arrays are not. What they begin with is assigned.
/// Stay arrays: constant tables, which whoever uses them has, too; those that loops of few turns alone use, which are
/// registers; and what is used other than by its elements. The very same codelet where there are none.
const ast::Codelet *withLocalArraysShared(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
