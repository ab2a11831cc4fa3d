// Runs nvcc.
#include "Backend.h"

#include "tangram/c-family/Compiler.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tangram::cuda {
namespace {

constexpr DiagnosticKind kArchitecture{
    "cuda.architecture", DiagnosticClass::User, "'{0}' cannot compile for {1}: it can for {2}",
    "name one of these by the option 'arch' of the backend in the target file, or by its option 'compiler' the nvcc of "
    "a toolkit that knows {1}; 'tangram compile --emit source' needs no compiler"};

/// A bare name is looked for where toolkits say that they are, where the PATH has none.
std::string findCompiler(const std::string &name) {
  if (name.find('/') != std::string::npos || c_family::findProgram(name)) return name;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable))
      if (auto there = c_family::findProgram((std::filesystem::path(home) / "bin" / name).string()))
        return there->string();
  return name;
}

/// What nvcc says of itself where it is asked by this flag; empty where there is no nvcc, or an older one.
std::vector<std::string> listed(const std::string &compiler, const char *flag) {
  std::string command = "'";
  for (char c : compiler) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
  std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(fmt::format("{}' {} 2>/dev/null", command, flag).c_str(), "r"),
                                              pclose);
  std::vector<std::string> words;
  char line[64];
  while (pipe && std::fgets(line, sizeof line, pipe.get())) {
    line[std::strcspn(line, "\r\n")] = '\0';
    if (*line) words.emplace_back(line);
  }
  return words;
}

/// Refuses a single architecture that the compiler at hand does not know; what else `arch` may say is for nvcc to
/// judge.
void checkArchitecture(const std::string &compiler, const OptionValues &options) {
  const std::string &arch = options.text("arch");
  bool real = arch.starts_with("sm_"), isVirtual = arch.starts_with("compute_");
  if ((!real && !isVirtual) || arch.find(',') != std::string::npos) return;
  std::vector<std::string> known = listed(compiler, real ? "--list-gpu-code" : "--list-gpu-arch");
  std::string base = arch; // sm_90a is listed as sm_90
  while (!base.empty() && !std::isdigit(static_cast<unsigned char>(base.back()))) base.pop_back();
  if (known.empty() || std::find(known.begin(), known.end(), base) != known.end()) return;
  auto entry = options.entries().find("arch");
  fail(kArchitecture, entry->second.range, compiler, arch, fmt::format("{}", fmt::join(known, ", ")));
}

} // namespace

std::vector<std::string> CudaBackend::compilerFlags(const OptionValues &options) {
  std::vector<std::string> flags = c_family::optionFlags(options, "tangram/cuda/device.h", TANGRAM_CUDA_SOURCE_INCLUDE);
  flags.insert(flags.begin(), options.flag("fma") ? "--fmad=true" : "--fmad=false");
  return flags;
}

std::filesystem::path CudaBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  c_family::CompilerCall call{
      "CUDA",
      {"-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-cudart", "static", "-arch=" + context.options.text("arch"),
       "-Xlinker", "-Bsymbolic", "-I" + context.folder.string()}, // its own functions, whatever others are called
      "or add the folder of nvcc to the PATH. 'tangram compile --emit source' needs no compiler"};
  call.compiler = findCompiler(context.options.text("compiler"));
  checkArchitecture(call.compiler, context.options);
  for (const std::string &flag : compilerFlags(context.options)) call.args.push_back(flag);
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::cuda
