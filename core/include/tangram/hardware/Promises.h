// What follows from what a target promises of results.
#pragma once

#include "tangram/hardware/Target.h"

namespace tangram::hardware {

/// The promise for which all plans must come to the same bits; null where there is none.
const Promise *sameBits(const Target &target);

} // namespace tangram::hardware
