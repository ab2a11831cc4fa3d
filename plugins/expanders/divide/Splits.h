// Loops in parts, where iterations wait for one of them alone (index set splitting: Griebl, Feautrier and Lengauer,
// Index Set Splitting, International Journal of Parallel Programming 28, 2000).
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// A loop of which each dependence has one certain iteration `at` at one of its ends, the number that a loop around it
/// is at or a constant, as three: the iterations before it, it alone, and those behind it. None of the parts carries
/// these dependences. The codelet itself where there are no such loops.
const ast::Codelet *withSplitLoops(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
