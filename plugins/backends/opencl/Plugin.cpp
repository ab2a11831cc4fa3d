#include "Backend.h"

#include "tangram/plugin/Plugin.h"

namespace tangram::opencl {

std::vector<OptionSpec> backendOptions() {
  OptionSpec device{"device",
                    "The kind of device; the first one is used. TANGRAM_OPENCL_DEVICE chooses another at run time.",
                    std::string("any"),
                    {},
                    {},
                    {"any", "cpu", "gpu"}};
  OptionSpec fma{"fma",
                 "Whether a product and a sum may become one instruction, which rounds once: as C++ compilers do where "
                 "the processor has it.",
                 true,
                 {},
                 {},
                 {}};
  OptionSpec build{"build-options",
                   "Options for the device's compiler besides -cl-std=CL1.2, as clBuildProgram takes them.",
                   std::vector<std::string>{},
                   {},
                   {},
                   {}};
  OptionSpec compiler{"compiler", "The C++ compiler: a name on the PATH or a path.", std::string("g++"), {}, {}, {}};
  OptionSpec flags{
      "flags",
      "Flags of the C++ compiler besides those that make a shared library; what it compiles starts kernels.",
      std::vector<std::string>{"-O1"},
      {},
      {},
      {}};
  OptionSpec include{
      "include", "More folders that the compiler looks for headers in.", std::vector<std::string>{}, {}, {}, {}};
  OptionSpec quick{"quick",
                   "Whether the C++ compiler takes little time over the code (-O0 behind `flags`): for code that is "
                   "made to be checked.",
                   false,
                   {},
                   {},
                   {}};
  return {device, fma, build, compiler, flags, quick, include};
}

} // namespace tangram::opencl

TANGRAM_PLUGIN("opencl", "1.0", "writes OpenCL C and the C++ that launches it, and builds it") {
  tangram::BackendDescriptor backend;
  backend.name = "opencl";
  backend.summary = "OpenCL C 1.2 for CPUs and GPUs, launched from C++17; built by the system's C++ compiler";
  backend.options = tangram::opencl::backendOptions();
  backend.requires_ = {"flat", "no-returns", "linear", "launches", "placed", "spmd", "workspace", "configured"};
  backend.isReserved = tangram::opencl::isReserved;
  backend.isReservedEntry = tangram::opencl::isReservedOnHost;
  backend.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::opencl::OpenCLBackend>(options.text("device"));
  };
  registry.backends.add(std::move(backend));
}
