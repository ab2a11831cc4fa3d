#include "tangram/hardware/Launch.h"

namespace tangram::hardware {

const Level *LaunchLevels::subgroup(const std::string &name) const {
  for (const Level *level : subgroups)
    if (level->name == name) return level;
  return nullptr;
}

std::uint64_t LaunchLevels::workers(const std::string &level) const {
  if (level == device->name) return 0;
  if (level == group->name) return groupWorkers;
  if (!subgroup(level)) return 1;
  std::uint64_t result = worker->workers.count;
  for (std::size_t i = subgroups.size(); subgroups[--i]->name != level;) result *= subgroups[i]->workers.count;
  return result;
}

LaunchLevels LaunchLevels::ofGroups(std::uint64_t workers) const {
  LaunchLevels result = *this;
  result.groupWorkers = workers;
  return result;
}

std::optional<LaunchLevels> launchLevels(const Hardware &hardware) {
  LaunchLevels found;
  for (const Level &level : hardware.levels)
    if (level.sync == SyncKind::Relaunch) found.device = &level;
  if (!found.device) return std::nullopt;
  found.group = hardware.below(*found.device);
  if (!found.group || found.group->sync != SyncKind::Barrier) return std::nullopt;
  const Level *next = hardware.below(*found.group);
  found.groupWorkers = next->workers.count;
  while (next->sync == SyncKind::Warp) {
    found.subgroups.push_back(next);
    next = hardware.below(*next);
    found.groupWorkers *= next->workers.count;
  }
  found.worker = next;
  return found;
}

} // namespace tangram::hardware
