#include "Backend.h"

#include "tangram/c-family/Words.h"
#include "tangram/plugin/Plugin.h"

namespace tangram::llvm_cpu {

std::vector<OptionSpec> backendOptions() {
  auto flag = [](std::string name, std::string doc, bool value) {
    return OptionSpec{std::move(name), std::move(doc), value, {}, {}, {}};
  };
  return {
      {"cpu",
       "The processor that code is for, as LLVM names it (x86-64-v3); native: the one at hand.",
       std::string("native"),
       {},
       {},
       {}},
      {"opt", "How hard LLVM optimises the code.", std::int64_t{3}, 0.0, 3.0, {}},
      flag("quick", "Whether LLVM takes little time over the code (level 1): for code that is made to be checked.",
           false),
      flag("fma", "Whether a product and a sum may become one instruction, which rounds once.", true),
      flag("vector-math",
           "Whether functions as exp and sin of vectors are those of a vector math library (glibc's libmvec), where "
           "there "
           "is one: within 4 units in the last place, which need not be those of the scalar functions.",
           true),
      flag("reference",
           "Whether the code is a reference, what plans are compared with: of whole numbers only, which need no bound.",
           false),
      {"stack-bytes",
       "Temporaries of known size up to this many bytes live on the stack.",
       std::int64_t{16384},
       0.0,
       1048576.0,
       {}},
  };
}

} // namespace tangram::llvm_cpu

TANGRAM_PLUGIN("llvm-cpu", "1.0", "makes libraries for the processor at hand through LLVM, without a compiler") {
  tangram::BackendDescriptor backend;
  backend.name = "llvm-cpu";
  backend.summary = "LLVM's code for the processor at hand, with SIMD vectors and threads, built in process";
  backend.options = tangram::llvm_cpu::backendOptions();
  backend.requires_ = {"flat", "no-returns", "scalar-specials", "linear", "vectorized"};
  backend.isReserved = tangram::c_family::isWordOfCpp; // callers include its header
  backend.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::llvm_cpu::CpuBackend>(); };
  registry.backends.add(std::move(backend));
}
