// Parallel loops whose bounds follow from parallel loops around them, as rectangles with a condition inside.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// `for (i = 0; i < n; ++i) for (j = i; j < m; ++j) S` as `for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) if (i <= j)
/// S`, where both loops are parallel: so they are a band, which can be divided along both. The codelet itself where
/// there are none.
const ast::Codelet *withRectangularLoops(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
