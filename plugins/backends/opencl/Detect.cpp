// The sizes of the device. Asked for in a child process: drivers start threads and take signals, and kernels run in
// children of this process, which would have neither.
#include "Backend.h"

#include "tangram/hardware/DeviceSizes.h"
#include "tangram/opencl/device.h"
#include "tangram/process/Children.h"

#include <map>

namespace tangram::opencl {
namespace {

void askDevice(const std::string &kind, const runtime::Send &send) {
  using namespace tangram_opencl;
  Context &c = kind == "cpu"   ? shared<CL_DEVICE_TYPE_CPU>()
               : kind == "gpu" ? shared<CL_DEVICE_TYPE_GPU>()
                               : shared<CL_DEVICE_TYPE_ALL>();
  if (c.status != TANGRAM_OK) return send({"missing", c.error.message});
  auto tell = [&](const char *name, std::uint64_t value) { send({name, std::to_string(value)}); };
  tell("units", number<cl_uint>(c.device, CL_DEVICE_MAX_COMPUTE_UNITS));
  tell("group", number<size_t>(c.device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  tell("scratchpad", number<cl_ulong>(c.device, CL_DEVICE_LOCAL_MEM_SIZE));
  tell("constant", number<cl_ulong>(c.device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE));
  tell("global", number<cl_ulong>(c.device, CL_DEVICE_GLOBAL_MEM_SIZE));
  tell("l2", number<cl_ulong>(c.device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  tell("line", number<cl_uint>(c.device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE));
  tell("arguments", number<size_t>(c.device, CL_DEVICE_MAX_PARAMETER_SIZE));
  std::string extensions = text(c.device, CL_DEVICE_EXTENSIONS);
  tell("atomic64", has(extensions, "cl_khr_int64_base_atomics") && has(extensions, "cl_khr_int64_extended_atomics"));
  send({"name", text(c.device, CL_DEVICE_NAME)});
  send({"version", text(c.device, CL_DEVICE_VERSION)});
}

} // namespace

Detection OpenCLBackend::detect(hardware::Hardware &hardware) {
  std::map<std::string, std::string> answers;
  auto work = [&](const runtime::Send &send) { askDevice(device_, send); };
  auto receive = [&](const runtime::Message &m) { answers[m.at(0)] = m.at(1); };
  runtime::ChildEnd end = runtime::runChild(work, receive, 60);
  Detection found;
  if (!end.done()) found.missing = "an OpenCL driver " + end.text();
  if (answers.count("missing")) found.missing = answers["missing"];
  if (!answers.count("version")) return found;

  auto size = [&](const char *key) { return std::stoull(answers.at(key)); };
  hardware::DeviceSizes sizes;
  sizes.units = size("units");
  sizes.groupWorkers = size("group");
  for (const char *memory : {"scratchpad", "constant", "l2", "global", "arguments"})
    sizes.memories[memory].bytes = size(memory);
  hardware::Memory &global = sizes.memories["global"];
  global.line = size("line");
  global.atomics = size("atomic64") ? std::vector<std::uint64_t>{32, 64} : std::vector<std::uint64_t>{32};
  sizes.memories["scratchpad"].atomics = global.atomics;
  hardware::fit(hardware, sizes);
  found.device = answers["name"] + ", " + answers["version"];
  return found;
}

} // namespace tangram::opencl
