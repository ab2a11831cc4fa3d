// Runs the C++ compiler on the host's half; the device's half is built by its driver when it is first used.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

namespace tangram::opencl {

std::filesystem::path OpenCLBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: drivers keep threads that may outlive the last call.
  c_family::CompilerCall call{
      "C++", {"-std=c++17", "-fPIC", "-shared", "-Wl,-z,nodelete", "-I" + context.folder.string()}, ""};
  for (const std::string &flag : context.options.texts("flags")) call.args.push_back(flag);
  for (const std::string &flag :
       c_family::includeFlags(context, "tangram/opencl/program.h", TANGRAM_OPENCL_SOURCE_INCLUDE))
    call.args.push_back(flag);
  call.libraries = {"-lOpenCL"};
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::opencl
