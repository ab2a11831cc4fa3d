// Runs the C++ compiler on the host's half; the device's half is built by its driver when it is first used.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

namespace tangram::opencl {

std::vector<std::string> OpenCLBackend::compilerFlags(const OptionValues &options) {
  std::vector<std::string> flags =
      c_family::optionFlags(options, "tangram/opencl/program.h", TANGRAM_OPENCL_SOURCE_INCLUDE);
  // The host's half only launches.
  if (options.flag("quick")) flags.emplace_back("-O0");
  return flags;
}

std::filesystem::path OpenCLBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: drivers keep threads that may outlive the last call.
  c_family::CompilerCall call{"C++", {"-std=c++17", "-fPIC"}, ""};
  for (const std::string &flag : compilerFlags(context.options)) call.args.push_back(flag);
  // What it calls of its own is its own, also where a library of the process has a function of the name.
  call.linking = {"-shared", "-Wl,-z,nodelete", "-Wl,-Bsymbolic", "-lOpenCL"};
  call.precompile = true;
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::opencl
