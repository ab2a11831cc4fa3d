// The sizes that a device on which kernels are launched says of itself, and a target's levels made to fit them.
#pragma once

#include "tangram/hardware/Launch.h"

#include <map>

namespace tangram::hardware {

struct DeviceSizes {
  std::uint64_t units = 0;           // that run groups side by side
  std::uint64_t groupWorkers = 0;    // the most workers of a group
  std::uint64_t groups = 0;          // the most groups of a launch
  std::uint64_t subgroupWorkers = 0; // workers that advance together
  std::optional<bool> shuffle;       // whether these can read each other's registers
  /// By the names that targets give them: global, constant, scratchpad, registers, arguments, l2, ...
  std::map<std::string, Memory> memories;
};

/// Fills in `sizes` (0 and absent: not said), and `auto` worker counts by them. Counts that the device cannot have
/// become the largest that it can.
void fit(Hardware &hardware, const DeviceSizes &sizes);

} // namespace tangram::hardware
