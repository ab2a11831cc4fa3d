// Other values of a plan's tunables. Whoever compiles the generated code may set them (docs/lowering.md, "Tunables"),
// so that the plan must be right for all of them.
#pragma once

#include "tangram/compose/Plan.h"

#include <random>

namespace tangram {

/// The plan with each tunable drawn anew from the values for which the plan holds, whatever the others are: a listed
/// one, or one of up to twice the plan's own value, the small as often as the large in powers of two. The factor of a
/// `split` stays as it is.
Plan drawTunables(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware,
                  std::mt19937_64 &random);

} // namespace tangram
