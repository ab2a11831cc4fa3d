#include "tangram/hardware/DeviceSizes.h"

#include <algorithm>

namespace tangram::hardware {
namespace {

constexpr std::uint64_t kGroup = 256; // workers of a group, where the device takes as many
constexpr std::uint64_t kWaves = 8;   // groups for each unit, so that one waits for memory while others run

/// The count nearest to `wanted` that the level can have.
std::uint64_t possible(const Workers &workers, std::uint64_t wanted) {
  std::uint64_t multiple = std::max<std::uint64_t>(1, workers.multipleOf);
  if (workers.max) wanted = std::min(wanted, workers.max);
  return std::max(multiple, wanted / multiple * multiple);
}

void fit(Memory &memory, const DeviceSizes &sizes) {
  auto found = sizes.memories.find(memory.name);
  if (found == sizes.memories.end()) return;
  const Memory &there = found->second;
  if (there.bytes) memory.bytes = there.bytes;
  if (there.line) memory.line = there.line;
  if (there.banks) memory.banks = there.banks;
  if (there.bandwidth != 0) memory.bandwidth = there.bandwidth;
  if (there.atomics) memory.atomics = there.atomics;
  // Sizes that contradict each other are not said.
  if (memory.bytes && memory.line && memory.bytes % memory.line) memory.line = 0;
}

} // namespace

void fit(Hardware &hardware, const DeviceSizes &sizes) {
  for (Level &level : hardware.levels)
    for (Memory &memory : level.memories) fit(memory, sizes);
  std::optional<LaunchLevels> found = launchLevels(hardware);
  if (!found) return;
  auto at = [&](const Level *level) -> Level & {
    return hardware.levels[static_cast<std::size_t>(level - hardware.levels.data())];
  };
  Level &group = at(found->group), &worker = at(found->worker);
  Level *subgroup = found->subgroups.empty() ? nullptr : &at(found->subgroups.front());
  std::uint64_t parts = 1; // of a subgroup, each of so many workers
  for (std::size_t i = 1; i < found->subgroups.size(); ++i) parts *= found->subgroups[i]->workers.count;

  Workers &groups = group.workers;
  if (sizes.groups) groups.max = std::max(groups.multipleOf, sizes.groups / groups.multipleOf * groups.multipleOf);
  if (groups.automatic && sizes.units) groups.count = sizes.units * kWaves;
  groups.count = possible(groups, groups.count);

  Workers &workers = worker.workers;
  if (subgroup) {
    if (sizes.shuffle)
      for (const Level *level : found->subgroups) at(level).shuffle = *sizes.shuffle;
    if (workers.automatic && sizes.subgroupWorkers)
      workers.count = std::max<std::uint64_t>(1, sizes.subgroupWorkers / parts);
  } else if (workers.automatic) {
    workers.count = kGroup;
  }
  workers.count = possible(workers, workers.count);

  std::uint64_t inner = subgroup ? parts * workers.count : 1; // workers of what a group counts
  Workers &inGroup = subgroup ? subgroup->workers : workers;
  if (subgroup && inGroup.automatic) inGroup.count = std::max<std::uint64_t>(1, kGroup / inner);
  if (sizes.groupWorkers) {
    group.maxLanes = sizes.groupWorkers;
    inGroup.count = std::min(inGroup.count, std::max<std::uint64_t>(1, sizes.groupWorkers / inner));
  }
  inGroup.count = possible(inGroup, inGroup.count);
}

} // namespace tangram::hardware
