// Runs the C++ compiler.
#include "Backend.h"

#include <boost/process.hpp>
#include <chrono>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace tangram::openmp {
namespace {

namespace process = boost::process;

constexpr DiagnosticKind kNoCompiler{
    "openmp.no-compiler", DiagnosticClass::User, "there is no C++ compiler '{}'{}",
    "install it, or name another by the option 'compiler' of the backend in the target file"};
constexpr DiagnosticKind kCompilerFailed{
    "openmp.compiler-failed", DiagnosticClass::User, "'{}' failed with exit code {} on {}; it says:\n{}",
    "check the options 'compiler' and 'flags' of the backend in the target file; if they are right, this is a bug of "
    "Tangram: report it with the file"};
constexpr DiagnosticKind kNoRuntime{
    "openmp.no-runtime", DiagnosticClass::User,
    "the header <tangram/runtime/kernel_abi.h> that generated code includes is not beside the backend",
    "name its folder by the option 'include' of the backend in the target file"};
constexpr DiagnosticKind kCancelled{"openmp.cancelled", DiagnosticClass::User, "the compiler was stopped", ""};
constexpr DiagnosticKind kNoFolder{"openmp.no-folder", DiagnosticClass::User, "cannot write into '{}'",
                                   "name a folder that exists and can be written"};

std::string read(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::filesystem::path pluginFile() {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || !info.dli_fname) return {};
  std::error_code ignored;
  return std::filesystem::canonical(info.dli_fname, ignored);
}

SourceRange rangeOf(const OptionValues &options, const std::string &name) {
  auto it = options.entries().find(name);
  return it == options.entries().end() ? SourceRange{} : it->second.range;
}

} // namespace

std::filesystem::path includeFolder() {
  std::vector<std::filesystem::path> candidates;
  // PREFIX/lib/tangram/plugins, with one folder more where libraries are kept by architecture.
  std::filesystem::path folder = pluginFile().parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    if (up >= 2) candidates.push_back(folder / "include");
  }
#ifdef TANGRAM_SOURCE_INCLUDE
  candidates.emplace_back(TANGRAM_SOURCE_INCLUDE);
#endif
  for (const std::filesystem::path &folder : candidates) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / "tangram/runtime/kernel_abi.h", ignored)) return folder;
  }
  return {};
}

std::filesystem::path OpenMPBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  const std::string &compiler = context.options.text("compiler");
  SourceRange where = rangeOf(context.options, "compiler");
  boost::filesystem::path executable = compiler;
  if (compiler.find('/') == std::string::npos) executable = process::search_path(compiler);
  boost::system::error_code missing;
  if (executable.empty() || !boost::filesystem::exists(executable, missing))
    fail(kNoCompiler, where, compiler, compiler.find('/') == std::string::npos ? " on the PATH" : "");

  std::error_code folderFailed;
  std::filesystem::create_directories(context.folder, folderFailed);
  std::filesystem::path library = context.folder / ("lib" + context.stem + ".so");
  std::filesystem::path log = context.folder / (context.stem + ".build.log");
  // Never unloaded: the idle threads of the OpenMP runtime outlive the last call, and with them what they run in must.
  std::vector<std::string> args{"-std=" + context.options.text("standard"), "-fPIC", "-shared", "-fopenmp",
                                "-Wl,-z,nodelete"};
  for (const std::string &flag : context.options.texts("flags")) args.push_back(flag);
  args.push_back("-I" + context.folder.string());
  for (const std::string &folder : context.options.texts("include")) args.push_back("-I" + folder);
  std::filesystem::path include = includeFolder();
  if (!include.empty())
    args.push_back("-I" + include.string());
  else if (context.options.texts("include").empty())
    fail(kNoRuntime, where);
  std::string sources;
  for (const OutputFile &file : files) {
    std::filesystem::path path = context.folder / file.name;
    if (read(path) != file.text && !(std::ofstream(path, std::ios::binary) << file.text))
      fail(kNoFolder, {}, context.folder.string());
    if (file.role != OutputFile::Role::Source) continue;
    args.push_back((context.folder / file.name).string());
    sources += (sources.empty() ? "" : ", ") + file.name;
  }
  args.insert(args.end(), {"-o", library.string()});

  if (!std::ofstream(log)) fail(kNoFolder, {}, context.folder.string());
  std::error_code startFailed;
  process::child child(executable, process::args(args), (process::std_out & process::std_err) > log.string(),
                       process::std_in < process::null, startFailed);
  if (startFailed) fail(kNoCompiler, where, compiler, ": " + startFailed.message());
  while (child.running(startFailed)) {
    if (context.cancelled && context.cancelled()) {
      child.terminate(startFailed);
      child.wait(startFailed);
      std::filesystem::remove(log);
      fail(kCancelled, {});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  child.wait(startFailed);
  std::string said = read(log);
  if (child.exit_code() != 0 || !std::filesystem::exists(library))
    fail(kCompilerFailed, where, compiler, child.exit_code(), sources, said.empty() ? "(nothing)" : said);
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  return library;
}

} // namespace tangram::openmp
