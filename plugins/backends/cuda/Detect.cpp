// The sizes of the device, asked for through the driver: no toolkit is needed. In a child process, since a process that
// has used the driver cannot fork children that use it, and kernels run in children.
#include "Backend.h"

#include "tangram/runtime/Children.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>

namespace tangram::cuda {
namespace {

using Sizes = std::map<std::string, std::uint64_t>;

// CUdevice_attribute, whose numbers never change.
constexpr int kThreadsOfGroup = 1, kScratchpad = 8, kConstant = 9, kWarp = 10, kUnits = 16;

Sizes askDriver() {
  Sizes sizes;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return sizes;
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto get = reinterpret_cast<int (*)(int *, int)>(dlsym(driver, "cuDeviceGet"));
  auto attribute = reinterpret_cast<int (*)(int *, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  auto memory = reinterpret_cast<int (*)(std::size_t *, int)>(dlsym(driver, "cuDeviceTotalMem_v2"));
  int device = 0;
  if (!init || !get || !attribute || !memory || init(0) != 0 || get(&device, 0) != 0) return sizes;
  auto ask = [&](const char *name, int number) {
    int value = 0;
    if (attribute(&value, number, device) == 0 && value > 0) sizes[name] = static_cast<std::uint64_t>(value);
  };
  ask("group", kThreadsOfGroup);
  ask("scratchpad", kScratchpad);
  ask("constant", kConstant);
  ask("warp", kWarp);
  ask("units", kUnits);
  std::size_t bytes = 0;
  if (memory(&bytes, device) == 0) sizes["global"] = bytes;
  return sizes;
}

} // namespace

bool CudaBackend::detect(hardware::Hardware &hardware) {
  Sizes sizes;
  auto work = [](const runtime::Send &send) {
    for (const auto &[name, value] : askDriver()) send({name, std::to_string(value)});
  };
  auto receive = [&](const runtime::Message &m) { sizes[m.at(0)] = std::stoull(m.at(1)); };
  if (!runtime::runChild(work, receive, 60).done() || sizes.empty()) return false;
  constexpr std::uint64_t kGroup = 256; // threads of a group
  constexpr std::uint64_t kWaves = 8;   // groups for each unit, so that one waits for memory while others run
  bool warps = std::any_of(hardware.levels.begin(), hardware.levels.end(),
                           [](const hardware::Level &level) { return level.sync == "warp"; });
  for (hardware::Level &level : hardware.levels) {
    for (hardware::Memory &memory : level.memories)
      if (auto size = sizes.find(memory.name); size != sizes.end()) memory.bytes = size->second;
    if (!level.workers.automatic) continue;
    const hardware::Level *above = nullptr;
    for (const hardware::Level &candidate : hardware.levels)
      if (candidate.subordinate == level.name) above = &candidate;
    std::uint64_t count = level.workers.count;
    std::uint64_t warp = std::max<std::uint64_t>(1, sizes["warp"]), group = std::min(kGroup, sizes["group"]);
    if (above && above->sync == "relaunch") count = sizes["units"] * kWaves;
    if (above && above->sync == "barrier") count = warps ? group / warp : group;
    if (above && above->sync == "warp") count = warp;
    std::uint64_t multiple = std::max<std::uint64_t>(1, level.workers.multipleOf);
    count = std::max(multiple, count / multiple * multiple);
    if (level.workers.max) count = std::min(count, level.workers.max);
    level.workers.count = count;
  }
  return true;
}

} // namespace tangram::cuda
