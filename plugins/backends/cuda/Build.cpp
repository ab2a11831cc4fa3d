// Runs nvcc.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

#include <cstdlib>
#include <unistd.h>

namespace tangram::cuda {
namespace {

bool isProgram(const std::filesystem::path &file) { return access(file.c_str(), X_OK) == 0; }

/// A bare name is looked for where toolkits say that they are, where the PATH has none.
std::string findCompiler(const std::string &name) {
  if (name.find('/') != std::string::npos) return name;
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = std::min(path.find(':', at), path.size());
    if (end > at && isProgram(std::filesystem::path(path.substr(at, end - at)) / name)) return name;
    at = end + 1;
  }
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable))
      if (std::filesystem::path there = std::filesystem::path(home) / "bin" / name; isProgram(there))
        return there.string();
  return name;
}

} // namespace

std::filesystem::path CudaBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  c_family::CompilerCall call{
      "CUDA",
      {"-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-cudart", "static", "-arch=" + context.options.text("arch"),
       context.options.flag("fma") ? "--fmad=true" : "--fmad=false", "-I" + context.folder.string()},
      "or add the folder of nvcc to the PATH. 'tangram compile --emit source' needs no compiler"};
  call.compiler = findCompiler(context.options.text("compiler"));
  for (const std::string &flag : context.options.texts("flags")) call.args.push_back(flag);
  for (const std::string &flag : c_family::includeFlags(context, "tangram/cuda/device.h", TANGRAM_CUDA_SOURCE_INCLUDE))
    call.args.push_back(flag);
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::cuda
