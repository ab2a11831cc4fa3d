// Runs the C++ compiler, on the machine at hand.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"
#include "tangram/c-family/Processor.h"

namespace tangram::openmp {

std::vector<std::string> OpenMPBackend::compilerFlags(const OptionValues &options) {
  std::vector<std::string> flags = c_family::optionFlags(options);
  // It costs next to nothing, and without it GCC takes operations on vectors apart, which then run five times as long.
  // What a thread has on its stack and never wrote is no number that may be right by chance.
  if (options.flag("quick"))
    flags.insert(flags.end(), {"-fexpensive-optimizations", "-ftrivial-auto-var-init=pattern"});
  flags.insert(flags.begin(), "-fopenmp");
  return flags;
}

Detection OpenMPBackend::detect(hardware::Hardware &hardware) { return c_family::detectProcessor(hardware); }

std::filesystem::path OpenMPBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: the idle threads of the OpenMP runtime outlive the last call, and with them what they run in must.
  c_family::CompilerCall call{"C++", {"-std=" + context.options.text("standard"), "-fPIC"}, ""};
  for (const std::string &flag : compilerFlags(context.options)) call.args.push_back(flag);
  // What it calls of its own is its own, also where a library of the process has a function of the name.
  call.linking = {"-shared", "-Wl,-z,nodelete", "-Wl,-Bsymbolic"};
  call.precompile = true;
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::openmp
