// The sizes of the device. Asked for in a child process: a process that has started the driver has no children that can
// use it, and kernels are run in children.
#include "Backend.h"
#include "ir/Compiler.h"

#include "tangram/hardware/DeviceSizes.h"
#include "tangram/process/Children.h"
#include "tangram/ptx/device.h"

#include <map>

namespace tangram::ptx {

namespace {

constexpr std::uint64_t kArguments = 4096; // bytes that every device takes
constexpr std::uint64_t kRegisters = 1020; // bytes of a worker, of every device that this backend writes for

void askDevice(const runtime::Send &send) {
  tangram_ptx::Current current;
  if (!current.ok()) return send({"missing", current.message});
  auto tell = [&](const char *name, std::uint64_t value) { send({name, std::to_string(value)}); };
  auto size = [&](tangram_ptx::Attribute which) { return static_cast<std::uint64_t>(current.attribute(which)); };
  std::size_t memory = 0;
  current.driver().cuDeviceTotalMem_v2(&memory, current.device());
  tell("units", size(tangram_ptx::kMultiprocessors));
  tell("group", size(tangram_ptx::kThreadsOfGroup));
  tell("groups", size(tangram_ptx::kGroups));
  tell("scratchpad", size(tangram_ptx::kScratchpadBytes));
  tell("constant", size(tangram_ptx::kConstantBytes));
  tell("l2", size(tangram_ptx::kL2Bytes));
  tell("global", memory);
  tell("major", size(tangram_ptx::kMajor));
  tell("minor", size(tangram_ptx::kMinor));
  send({"name", current.name()});
}

/// The newest of those that can be written for which the device runs the code of.
std::string architectureFor(int major, int minor) {
  std::string best;
  for (const Architecture &a : architectures()) {
    bool runs = a.major < major || (a.major == major && a.minor <= minor);
    if (runs && !a.exact) best = a.name; // they are in order
  }
  return best;
}

} // namespace

Detection PtxBackend::detect(hardware::Hardware &hardware) {
  std::map<std::string, std::string> answers;
  auto receive = [&](const runtime::Message &m) { answers[m.at(0)] = m.at(1); };
  runtime::ChildEnd end = runtime::runChild(askDevice, receive, 60);
  Detection found;
  if (!end.done()) found.missing = "the driver for NVIDIA devices " + end.text();
  if (answers.count("missing")) found.missing = answers["missing"];
  if (!answers.count("name")) return found;

  auto number = [&](const char *key) { return std::stoull(answers.at(key)); };
  hardware::DeviceSizes sizes;
  sizes.units = number("units");
  sizes.groupWorkers = number("group");
  sizes.groups = number("groups");
  sizes.subgroupWorkers = 32;
  sizes.shuffle = true;
  for (const char *memory : {"scratchpad", "constant", "l2", "global"}) sizes.memories[memory].bytes = number(memory);
  sizes.memories["arguments"].bytes = kArguments;
  sizes.memories["registers"].bytes = kRegisters;
  hardware::fit(hardware, sizes);
  found.device = fmt::format("{}, sm_{}{}", answers["name"], answers["major"], answers["minor"]);
  std::string architecture = architectureFor(std::stoi(answers["major"]), std::stoi(answers["minor"]));
  if (!architecture.empty()) found.options.set("arch", architecture);
  return found;
}

} // namespace tangram::ptx
