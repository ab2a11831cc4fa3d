#include "Backend.h"
#include "ir/Compiler.h"

#include "tangram/plugin/Plugin.h"

namespace tangram::ptx {

namespace {

OptionSpec text(std::string name, std::string doc, std::string value, std::vector<std::string> oneOf = {}) {
  return {std::move(name), std::move(doc), std::move(value), {}, {}, std::move(oneOf)};
}

OptionSpec texts(std::string name, std::string doc, std::vector<std::string> value) {
  return {std::move(name), std::move(doc), std::move(value), {}, {}, {}};
}

OptionSpec flag(std::string name, std::string doc, bool value) {
  return {std::move(name), std::move(doc), value, {}, {}, {}};
}

} // namespace

std::vector<OptionSpec> backendOptions() {
  std::vector<std::string> known;
  for (const Architecture &architecture : architectures()) known.push_back(architecture.name);
  return {
      text(
          "arch",
          "The oldest device that the code is for; newer ones run it too, except that sm_90a is for its own kind only.",
          "sm_80", known),
      text("ptx", "The version of PTX to write, such as 8.0; empty: the oldest that knows the device.", ""),
      {"opt", "How hard LLVM optimises the device's code.", std::int64_t{3}, 0.0, 3.0, {}},
      text("libdevice",
           "libdevice.10.bc of a CUDA toolkit, for functions like sinf; empty: that of the toolkit in CUDA_HOME or "
           "CUDA_PATH, or in /usr/local/cuda.",
           ""),
      flag("fma", "Whether a product and a sum may become one instruction, which rounds once.", true),
      flag("line", "Whether .loc directives lead from the PTX back to the codelets, for profilers; else comments do.",
           false),
      text("ir", "Also write LLVM's code of the device: as it is generated, or as it is after optimisation.", "none",
           {"none", "generated", "optimised"}),
      text("compiler", "The C++ compiler for the host's part: a name on the PATH or a path.", "g++"),
      texts("flags", "Flags of the compiler besides those that make a shared library.", {"-O2"}),
      flag("quick",
           "Whether the compiler takes little time over the code (-O1 behind `flags`): for code that is made to be "
           "checked.",
           false),
      text("standard", "The C++ standard of the compiler, C++17 or later.", "c++17"),
      texts("include", "More folders that the compiler looks for headers in.", {}),
  };
}

} // namespace tangram::ptx

TANGRAM_PLUGIN("ptx", "1.0", "writes PTX through LLVM, and C++ that runs it through the CUDA driver") {
  tangram::BackendDescriptor backend;
  backend.name = "ptx";
  backend.summary = "PTX made by LLVM, with host code in C++17 that loads it through the CUDA driver";
  backend.options = tangram::ptx::backendOptions();
  backend.requires_ = {"flat", "no-returns", "scalar-specials", "linear", "spmd", "workspace", "configured"};
  backend.isReserved = tangram::ptx::isReserved;
  backend.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::ptx::PtxBackend>(); };
  registry.backends.add(std::move(backend));
}
