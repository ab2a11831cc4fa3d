// The levels of a machine that kernels are launched on, found by how they synchronise, whatever they are called.
#pragma once

#include "tangram/hardware/Hardware.h"

namespace tangram::hardware {

struct LaunchLevels {
  const Level *device = nullptr; // sync relaunch: its units below are not synchronised within a launch
  const Level *group = nullptr;  // below it, sync barrier
  std::vector<const Level *>
      subgroups;                  // below that, sync warp, from the outside in: warps, parts of warps; may be none
  const Level *worker = nullptr;  // below these: what runs alone
  std::uint64_t groupWorkers = 0; // of a group

  /// The same of a launch whose groups have so many workers.
  LaunchLevels ofGroups(std::uint64_t workers) const;

  /// The subgroup of that name; null where there is none.
  const Level *subgroup(const std::string &name) const;

  /// Workers in a unit of `level`; 1 for the worker and all below it, 0 for the device.
  std::uint64_t workers(const std::string &level) const;
};

/// Nothing where the machine has no level that synchronises by relaunch over one that does by barrier.
std::optional<LaunchLevels> launchLevels(const Hardware &hardware);

} // namespace tangram::hardware
