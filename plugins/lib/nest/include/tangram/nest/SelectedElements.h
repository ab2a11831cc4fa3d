// Elements that are selected by their places alone.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// if (z[i] < z[best]) best = i;   as   if (z[i] < least) { least = z[i]; best = i; }, a selection (Selections.h)
///
/// where the loop around does not change z, nor `best` elsewhere; `least` is z[best] in front of the loop, where there
/// is such an element. So are places of several indices. Where `best` has fewer bits than i, that z has no more
/// elements than it counts becomes a condition of the codelet. The very same codelet where there are none.
const ast::Codelet *withSelectedElements(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
