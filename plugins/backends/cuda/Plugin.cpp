#include "Backend.h"

#include "tangram/plugin/Plugin.h"

namespace tangram::cuda {

std::vector<OptionSpec> backendOptions() {
  OptionSpec arch{"arch",
                  "What nvcc compiles for, as its -arch: 'native' for the devices at hand, 'sm_90', ... Later devices "
                  "translate what was made for an earlier one.",
                  std::string("sm_75"),
                  {},
                  {},
                  {}};
  OptionSpec fma{"fma",
                 "Whether a product and a sum may become one instruction, which rounds once: as C++ compilers do where "
                 "the processor has it.",
                 true,
                 {},
                 {},
                 {}};
  OptionSpec compiler{"compiler",
                      "nvcc: a name on the PATH or in the bin folder of CUDA_HOME or CUDA_PATH, or a path.",
                      std::string("nvcc"),
                      {},
                      {},
                      {}};
  OptionSpec flags{
      "flags", "Flags of nvcc besides those that make a shared library.", std::vector<std::string>{"-O3"}, {}, {}, {}};
  OptionSpec include{
      "include", "More folders that the compiler looks for headers in.", std::vector<std::string>{}, {}, {}, {}};
  OptionSpec line{
      "line", "Whether #line directives lead from the generated code back to the codelets; else comments do.",
      false,  {},
      {},     {}};
  OptionSpec quick{
      "quick",
      "Whether the compiler takes little time over the code (-O1 behind `flags`): for code that is made to be checked.",
      false,
      {},
      {},
      {}};
  return {arch, fma, compiler, flags, quick, include, line};
}

} // namespace tangram::cuda

TANGRAM_PLUGIN("cuda", "1.0", "writes CUDA C++ and builds it") {
  tangram::BackendDescriptor backend;
  backend.name = "cuda";
  backend.summary = "CUDA C++17: __global__ functions and the C++ that launches them, built by nvcc";
  backend.options = tangram::cuda::backendOptions();
  backend.requires_ = {"flat", "no-returns", "linear", "launches", "placed", "spmd", "workspace", "configured"};
  backend.isReserved = tangram::cuda::isReserved;
  backend.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::cuda::CudaBackend>(); };
  registry.backends.add(std::move(backend));
}
