// The sizes of the device. Asked for in a child process: a process that has started the driver has no children that can
// use it, and kernels are run in children.
#include "Backend.h"

#include "tangram/ptx/device.h"
#include "tangram/runtime/Children.h"

#include <algorithm>
#include <map>

namespace tangram::ptx {

namespace {

using Sizes = std::map<std::string, std::uint64_t>;

Sizes askDevice() {
  Sizes sizes;
  auto work = [](const runtime::Send &send) {
    tangram_ptx::Current current;
    if (!current.ok()) return;
    auto tell = [&](const char *name, std::uint64_t value) { send({name, std::to_string(value)}); };
    auto size = [&](tangram_ptx::Attribute which) { return static_cast<std::uint64_t>(current.attribute(which)); };
    std::size_t memory = 0;
    current.driver().cuDeviceTotalMem_v2(&memory, current.device());
    tell("units", size(tangram_ptx::kMultiprocessors));
    tell("group", size(tangram_ptx::kThreadsOfGroup));
    tell("scratchpad", size(tangram_ptx::kScratchpadBytes));
    tell("l2", size(tangram_ptx::kL2Bytes));
    tell("global", memory);
  };
  auto receive = [&](const runtime::Message &m) { sizes[m.at(0)] = std::stoull(m.at(1)); };
  if (!runtime::runChild(work, receive, 60).done()) sizes.clear();
  return sizes;
}

} // namespace

bool PtxBackend::detect(hardware::Hardware &hardware) {
  Sizes sizes = askDevice();
  if (sizes.empty()) return false;
  constexpr std::uint64_t kWarp = 32;
  constexpr std::uint64_t kGroup = 256; // workers of a group, where the device takes as many
  constexpr std::uint64_t kWaves = 8;   // groups for each unit, so that one waits for memory while others run
  for (hardware::Level &level : hardware.levels) {
    for (hardware::Memory &memory : level.memories)
      if (auto size = sizes.find(memory.name); size != sizes.end() && size->second) memory.bytes = size->second;
    if (!level.workers.automatic) continue;
    const hardware::Level *above = nullptr;
    for (const hardware::Level &candidate : hardware.levels)
      if (candidate.subordinate == level.name) above = &candidate;
    std::uint64_t count = level.workers.count;
    if (above && above->sync == "relaunch") count = sizes["units"] * kWaves;
    if (above && above->sync == "barrier")
      count = std::min(kGroup, sizes["group"]) / (level.sync == "warp" ? kWarp : 1);
    if (above && above->sync == "warp") count = kWarp;
    std::uint64_t multiple = std::max<std::uint64_t>(1, level.workers.multipleOf);
    count = std::max(multiple, count / multiple * multiple);
    if (level.workers.max) count = std::min(count, level.workers.max);
    level.workers.count = count;
  }
  return true;
}

} // namespace tangram::ptx
