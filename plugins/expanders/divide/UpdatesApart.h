// Loops that add to elements at different places, as a loop for each of them: forces and what answers them.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::divide {

/// for (i...) for (j > i) { f = g(i, j); force[i] += f; force[j] -= f; }   as two of them,
///
///   for (i...) for (j > i) { f = g(i, j); force[i] += f; }
///   for (i...) for (j > i) { f = g(i, j); force[j] -= f; }
///
/// of which each may be divided by the loop that counts its elements; what both need is computed twice. For loops that
/// do nothing else, where additions may be done in another order: of whole numbers, and where `reorder` says so. The
/// very same codelet where there are none.
const ast::Codelet *withUpdatesApart(const ast::Codelet &codelet, const ast::Module &module, bool reorder,
                                     ast::Arena &arena);

} // namespace tangram::divide
