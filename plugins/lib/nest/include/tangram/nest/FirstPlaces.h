// Places of extreme elements that begin as none.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// u = -1; for (i...) if (c) if (u < 0 || z[i] < z[u]) u = i;   as
///
///   u = -1; for (i...) if (c) first = min(first, i); if (there is a first) u = first;
///   for (i...) if (c) if (z[i] < z[u]) u = i;
///
/// a reduction, and a selection by places (SelectedElements.h): the first element that may be the one is compared with
/// the others, as the loop did, whatever it is. The very same codelet where there are none.
const ast::Codelet *withFirstPlaces(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
