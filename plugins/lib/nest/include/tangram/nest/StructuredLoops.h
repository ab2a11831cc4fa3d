// Loops that end by a condition of data, or are left early, and integers that change between loops, as a nest has them.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// Of loops with loops in them: `while (c) S` as `for (size_t turn = 0; c; ++turn) S`, `do S while (c);` as one that
/// asks for what its last turn has found, and what leaves one,
///
///   for (t...) { S; if (c) break; R }   as   bool left = false; for (t... && !left) { S; if (c) left = true; else R }
///
/// and what counts by other than a number, or by a variable that is there behind it, as a `while` that does so itself:
/// so that loops in S and R are seen as any others, in each of its turns. Integers that a codelet changes are constants
/// in front of loops that do not. The very same codelet where there are none,
/// and where something else jumps.
const ast::Codelet *withStructuredLoops(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
