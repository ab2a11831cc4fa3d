// The sizes of the device, asked for through the driver: no toolkit is needed. In a child process, since a process that
// has used the driver cannot fork children that use it, and kernels run in children.
#include "Backend.h"

#include "tangram/hardware/DeviceSizes.h"
#include "tangram/process/Children.h"

#include <dlfcn.h>
#include <map>

namespace tangram::cuda {
namespace {

// CUdevice_attribute, whose numbers never change.
enum Attribute : int {
  kThreadsOfGroup = 1,
  kGroups = 5,
  kScratchpad = 8,      // of a group, without asking for more
  kMostScratchpad = 97, // of a group that asks for it
  kConstant = 9,
  kWarpSize = 10,
  kUnits = 16,
  kL2 = 38,
  kMajor = 75,
  kMinor = 76
};

constexpr int kNoDevice = 100, kStub = 34; // CUresult
constexpr std::uint64_t kArguments = 4096; // bytes that every device since compute capability 2.0 takes
constexpr std::uint64_t kShuffles = 30, kRegisters255 = 35; // compute capabilities that first had them, 35 for 3.5

using Answers = std::map<std::string, std::string>;

void askDriver(const runtime::Send &send) {
  auto missing = [&](const std::string &why) { send({"missing", why}); };
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return missing("there is no driver for NVIDIA devices (libcuda.so.1 is not found); install it");
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto get = reinterpret_cast<int (*)(int *, int)>(dlsym(driver, "cuDeviceGet"));
  auto name = reinterpret_cast<int (*)(char *, int, int)>(dlsym(driver, "cuDeviceGetName"));
  auto attribute = reinterpret_cast<int (*)(int *, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  auto memory = reinterpret_cast<int (*)(std::size_t *, int)>(dlsym(driver, "cuDeviceTotalMem_v2"));
  if (!init || !get || !name || !attribute || !memory) return missing("the driver for NVIDIA devices is too old");
  int code = init(0);
  if (code == kStub) return missing("libcuda.so.1 is a toolkit's stub, and not the driver's own; install the driver");
  if (code != 0 && code != kNoDevice)
    return missing(fmt::format("the driver for NVIDIA devices does not start (error {})", code));
  int device = 0;
  if (code == kNoDevice || get(&device, 0) != 0)
    return missing("the driver finds no NVIDIA device, or none that this process may use (CUDA_VISIBLE_DEVICES)");
  char text[256] = "";
  name(text, sizeof text, device);
  for (Attribute asked :
       {kThreadsOfGroup, kGroups, kScratchpad, kMostScratchpad, kConstant, kWarpSize, kUnits, kL2, kMajor, kMinor}) {
    int value = 0;
    if (attribute(&value, asked, device) == 0 && value > 0) send({std::to_string(asked), std::to_string(value)});
  }
  std::size_t bytes = 0;
  if (memory(&bytes, device) == 0) send({"global", std::to_string(bytes)});
  send({"name", text});
}

} // namespace

Detection CudaBackend::detect(hardware::Hardware &hardware) {
  Answers answers;
  auto receive = [&](const runtime::Message &m) { answers[m.at(0)] = m.at(1); };
  runtime::ChildEnd end = runtime::runChild(askDriver, receive, 60);
  Detection found;
  if (!end.done()) found.missing = "the driver for NVIDIA devices " + end.text();
  if (answers.count("missing")) found.missing = answers["missing"];
  if (!answers.count("name")) return found;

  auto number = [&](const std::string &key) -> std::uint64_t {
    return answers.count(key) ? std::stoull(answers[key]) : 0;
  };
  auto value = [&](Attribute asked) { return number(std::to_string(asked)); };
  std::uint64_t major = value(kMajor), minor = value(kMinor);
  hardware::DeviceSizes sizes;
  sizes.units = value(kUnits);
  sizes.groupWorkers = value(kThreadsOfGroup);
  sizes.groups = value(kGroups);
  sizes.subgroupWorkers = value(kWarpSize);
  sizes.shuffle = 10 * major + minor >= kShuffles;
  sizes.memories["scratchpad"].bytes = std::max(value(kScratchpad), value(kMostScratchpad));
  sizes.memories["constant"].bytes = value(kConstant);
  sizes.memories["l2"].bytes = value(kL2);
  sizes.memories["global"].bytes = number("global");
  sizes.memories["arguments"].bytes = kArguments;
  sizes.memories["registers"].bytes = 4 * (10 * major + minor >= kRegisters255 ? 255 : 63);
  hardware::fit(hardware, sizes);
  found.device = fmt::format("{}, sm_{}{}", answers["name"], major, minor);
  found.options.set("arch", fmt::format("sm_{}{}", major, minor));
  return found;
}

} // namespace tangram::cuda
