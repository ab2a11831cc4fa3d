// Loops of which all depend on the iterations before, in an order that leaves some parallel.
#pragma once

#include "tangram/nest/Read.h"

#include <map>

namespace tangram::divide {

/// The codelet with each of its outermost loops that has no parallel loop in it in another order, if that has one: of
///
///   for (i...) for (j...) a[i][j] += a[i - 1][j] + a[i][j - 1];
///
/// diagonals one after the other, each a parallel loop (wavefronts). The codelet itself where nothing changes.
/// `reorder`: whether floating-point numbers may be added in another order; `refused`: loops that stay as they are, and
/// why.
const ast::Codelet *withRescheduledLoops(nest::Nests &nests, const ast::Codelet &codelet, bool reorder,
                                         ast::Arena &arena, std::vector<nest::Remark> &refused);

/// Variables that a loop only updates, each by one operator, the order of which does not matter.
std::map<unsigned, nest::ReductionOp> accumulated(const nest::Nest &nest, unsigned loop, bool reorder);

/// Whether a loop has others in it, and none of them, nor itself, is parallel.
bool isSerialThroughout(const nest::Nest &nest, const nest::Item &item);

/// Whether a loop, and one in it, has to wait for more than what it combines.
bool waitsInBoth(const nest::Nest &nest, const nest::Item &loop);

} // namespace tangram::divide
