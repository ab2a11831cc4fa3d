// The sizes of the device. Asked for in a child process: drivers start threads and take signals, and kernels run in
// children of this process, which would have neither.
#include "Backend.h"

#include "tangram/opencl/device.h"
#include "tangram/runtime/Children.h"

#include <algorithm>
#include <map>

namespace tangram::opencl {
namespace {

using Sizes = std::map<std::string, std::uint64_t>;

Sizes sizesOf(cl_device_id id) {
  using namespace tangram_opencl;
  Sizes sizes;
  sizes["units"] = number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  sizes["group"] = number<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  sizes["scratchpad"] = number<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  sizes["constant"] = number<cl_ulong>(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  sizes["global"] = number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  sizes["line"] = number<cl_uint>(id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  return sizes;
}

Sizes askDevice(const std::string &kind) {
  Sizes sizes;
  auto work = [&](const runtime::Send &send) {
    using namespace tangram_opencl;
    Context &c = kind == "cpu"   ? shared<CL_DEVICE_TYPE_CPU>()
                 : kind == "gpu" ? shared<CL_DEVICE_TYPE_GPU>()
                                 : shared<CL_DEVICE_TYPE_ALL>();
    if (c.status != TANGRAM_OK) return;
    for (const auto &[name, value] : sizesOf(c.device)) send({name, std::to_string(value)});
  };
  auto receive = [&](const runtime::Message &m) { sizes[m.at(0)] = std::stoull(m.at(1)); };
  if (!runtime::runChild(work, receive, 60).done()) sizes.clear();
  return sizes;
}

void fill(hardware::Memory &memory, const Sizes &sizes) {
  auto size = sizes.find(memory.name);
  if (size != sizes.end() && size->second) memory.bytes = size->second;
  if (memory.name == "global" && sizes.at("line")) memory.line = sizes.at("line");
}

} // namespace

bool OpenCLBackend::detect(hardware::Hardware &hardware) {
  Sizes sizes = askDevice(device_);
  if (sizes.empty()) return false;
  constexpr std::uint64_t kGroup = 256; // threads of a group, where the device takes as many
  constexpr std::uint64_t kWaves = 8;   // groups for each unit, so that one waits for memory while others run
  for (hardware::Level &level : hardware.levels) {
    for (hardware::Memory &memory : level.memories) fill(memory, sizes);
    if (!level.workers.automatic) continue;
    const hardware::Level *above = nullptr;
    for (const hardware::Level &candidate : hardware.levels)
      if (candidate.subordinate == level.name) above = &candidate;
    std::uint64_t count = level.workers.count;
    if (above && above->sync == "relaunch") count = sizes["units"] * kWaves;
    if (above && above->sync == "barrier") count = std::min(kGroup, sizes["group"]);
    std::uint64_t multiple = std::max<std::uint64_t>(1, level.workers.multipleOf);
    count = std::max(multiple, count / multiple * multiple);
    if (level.workers.max) count = std::min(count, level.workers.max);
    level.workers.count = count;
  }
  return true;
}

} // namespace tangram::opencl
