#include "Backend.h"

#include "tangram/plugin/Plugin.h"

namespace tangram::openmp {

std::vector<OptionSpec> backendOptions() {
  OptionSpec compiler{"compiler", "The C++ compiler: a name on the PATH or a path.", std::string("g++"), {}, {}, {}};
  // Nobody reads errno, or catches signals, of a kernel: values stay as they are, and loops with roots or comparisons
  // become vectors.
  OptionSpec flags{"flags",
                   "Flags of the compiler besides those that make a shared library with OpenMP.",
                   std::vector<std::string>{"-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"},
                   {},
                   {},
                   {}};
  OptionSpec standard{"standard", "The C++ standard of the compiler, C++17 or later.", std::string("c++17"), {}, {},
                      {}};
  OptionSpec include{
      "include", "More folders that the compiler looks for headers in.", std::vector<std::string>{}, {}, {}, {}};
  OptionSpec line{
      "line", "Whether #line directives lead from the generated code back to the codelets; else comments do.",
      false,  {},
      {},     {}};
  OptionSpec constants{"constants",
                       "How tunables appear: constants that -D overrides, macros, or template parameters.",
                       std::string("constexpr"),
                       {},
                       {},
                       {"constexpr", "macro", "template"}};
  OptionSpec fma{
      "fma",
      "Whether a product and a sum may become one instruction, which rounds once: as C++ compilers do where the "
      "processor has it.",
      true,
      {},
      {},
      {}};
  OptionSpec math{"vector-math",
                  "Whether functions as exp and sin of vectors are those of a vector math library (glibc's libmvec), "
                  "where there is "
                  "one: within 4 units in the last place, which need not be those of the scalar functions.",
                  true,
                  {},
                  {},
                  {}};
  OptionSpec stack{"stack-bytes",       "Temporaries of known size up to this many bytes live on the stack.",
                   std::int64_t{16384}, 0.0,
                   1048576.0,           {}};
  OptionSpec reference{
      "reference",
      "Whether floating-point numbers are followed in a wider type, with a bound on what roundings may change: what "
      "plans are compared with (tangram/runtime/error_analysis.h).",
      false,
      {},
      {},
      {}};
  OptionSpec quick{
      "quick",
      "Whether the compiler takes little time over the code (-O1 behind `flags`): for code that is made to be checked.",
      false,
      {},
      {},
      {}};
  return {compiler, flags, quick, standard, include, line, constants, fma, math, stack, reference};
}

} // namespace tangram::openmp

TANGRAM_PLUGIN("openmp", "1.0", "writes C++ with OpenMP and builds it") {
  tangram::BackendDescriptor backend;
  backend.name = "openmp";
  backend.summary = "C++17 with OpenMP directives and SIMD vectors, built by the system's C++ compiler";
  backend.options = tangram::openmp::backendOptions();
  backend.requires_ = {"flat", "no-returns", "scalar-specials", "linear", "vectorized"};
  backend.isReserved = tangram::openmp::isReserved;
  backend.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::openmp::OpenMPBackend>(); };
  registry.backends.add(std::move(backend));
}
