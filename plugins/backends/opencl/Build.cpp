// Runs the C++ compiler on the host's half; the device's half is built by its driver when it is first used.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

namespace tangram::opencl {

std::vector<std::string> OpenCLBackend::compilerFlags(const OptionValues &options) {
  return c_family::optionFlags(options, "tangram/opencl/program.h", TANGRAM_OPENCL_SOURCE_INCLUDE);
}

std::filesystem::path OpenCLBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: drivers keep threads that may outlive the last call.
  c_family::CompilerCall call{
      "C++", {"-std=c++17", "-fPIC", "-shared", "-Wl,-z,nodelete", "-I" + context.folder.string()}, ""};
  for (const std::string &flag : compilerFlags(context.options)) call.args.push_back(flag);
  call.libraries = {"-lOpenCL"};
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::opencl
