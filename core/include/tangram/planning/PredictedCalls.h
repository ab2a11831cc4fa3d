// How much a plan does, before it is compiled.
#pragma once

#include "tangram/compose/Expected.h"
#include "tangram/compose/Plan.h"

namespace tangram {

/// About how many calls of codelets one call of a plan makes for arguments of these sizes: each part of a partition is
/// a call, empty or not. Counted are those that are made whatever the data: what stands in a loop or under a condition
/// is left out, and a map of which it is not known how many calls it makes is taken to make one. `plan` has been
/// checked.
double predictedCalls(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware,
                      const ExpectedSizes &sizes);

} // namespace tangram
