// How many groups of a launch a core should have room for.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/hardware/Hardware.h"

namespace tangram {

/// Groups that fit the registers of a core where workers keep their arrays in registers, so that a backend can tell its
/// compiler not to take more: one group that fills a core leaves it idle at each barrier. 0: it has no such arrays, or
/// the target does not say how many registers there are.
std::uint64_t residentGroups(const ast::Launch &launch, const ast::KnownValues &known,
                             const hardware::Hardware &hardware, const hardware::Level &group);

} // namespace tangram
