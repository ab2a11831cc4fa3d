// Loops that count down and hand values on, as loops that count up (loop normalization).
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// for (T j = b; j >= 0; --j) s = f(s, j);   as   for (T j = 0; j <= b; ++j) s = f(s, b - j);   for
/// innermost loops in steps of one down to 0 or 1, which set scalars that live across iterations. Their tiles, loads in
/// flight and stores are then those of loops that count up. The very same codelet where there is none.
const ast::Codelet *withAscendingLoops(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
