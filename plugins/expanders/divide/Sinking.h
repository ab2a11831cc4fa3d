// What a parallel loop declares in front of the loop in it, in that loop: then both are one band.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i) { const T x = f(i); for (j) ... } as for (i) for (j) { const T x = f(i); ... }, of parallel loops, where
/// what x is computed of does not change; the same codelet where there are none.
const ast::Codelet *withSunkDeclarations(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
