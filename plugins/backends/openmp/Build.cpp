// Runs the C++ compiler.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

namespace tangram::openmp {

std::filesystem::path OpenMPBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: the idle threads of the OpenMP runtime outlive the last call, and with them what they run in must.
  c_family::CompilerCall call{"C++",
                              {"-std=" + context.options.text("standard"), "-fPIC", "-shared", "-fopenmp",
                               "-Wl,-z,nodelete", "-I" + context.folder.string()},
                              ""};
  for (const std::string &flag : context.options.texts("flags")) call.args.push_back(flag);
  for (const std::string &flag : c_family::includeFlags(context)) call.args.push_back(flag);
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::openmp
