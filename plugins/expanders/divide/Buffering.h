// Loops that overwrite what earlier iterations have read: in two, with a buffer between them.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (j) a[j] = f(a[j], a[j + 1]) as for (j) next[j] = f(a[j], a[j + 1]); for (j) a[j] = next[j]: where an iteration
/// reads only what later ones write (anti-dependences), both are parallel. Of loops in others: outermost ones read
/// copies (Copies.h). The same codelet where there are none.
const ast::Codelet *withBufferedLoops(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

/// With temporary containers in the place of larger arrays that loops declare, so that what works on an iteration
/// together may share them. The same codelet where there are none.
const ast::Codelet *withLocalContainers(const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
