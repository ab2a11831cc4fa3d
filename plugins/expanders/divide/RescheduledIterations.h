// Loops within an iteration of others, in an order that leaves some parallel.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with loops that stand in others in another order, where none of them is parallel: of a batch of tables,
///
///   for (b...) for (i...) for (j...) a[b][i][j] += a[b][i - 1][j] + a[b][i][j - 1];
///
/// the diagonals of each (Rescheduling.h). What is known of the loops around is what one of their iterations knows: its
/// numbers stand still, and so does what it has loaded. The codelet itself where nothing changes.
const ast::Codelet *withRescheduledIterations(nest::Nests &nests, const ast::Codelet &codelet, bool reorder,
                                              ast::Arena &arena, std::vector<nest::Remark> &refused);

} // namespace tangram::divide
