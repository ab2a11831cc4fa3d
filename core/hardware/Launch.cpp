#include "tangram/hardware/Launch.h"

namespace tangram::hardware {

std::uint64_t LaunchLevels::workers(const std::string &level) const {
  if (level == device->name) return 0;
  if (level == group->name) return groupWorkers;
  if (subgroup && level == subgroup->name) return subgroupWorkers;
  return 1;
}

LaunchLevels LaunchLevels::ofGroups(std::uint64_t workers) const {
  LaunchLevels result = *this;
  result.groupWorkers = workers;
  return result;
}

std::optional<LaunchLevels> launchLevels(const Hardware &hardware) {
  LaunchLevels found;
  for (const Level &level : hardware.levels)
    if (level.sync == "relaunch") found.device = &level;
  if (!found.device) return std::nullopt;
  found.group = hardware.below(*found.device);
  if (!found.group || found.group->sync != "barrier") return std::nullopt;
  const Level *next = hardware.below(*found.group);
  found.groupWorkers = next->workers.count;
  if (next->sync == "warp") {
    found.subgroup = next;
    next = hardware.below(*next);
    found.subgroupWorkers = next->workers.count;
    found.groupWorkers *= found.subgroupWorkers;
  }
  found.worker = next;
  return found;
}

} // namespace tangram::hardware
