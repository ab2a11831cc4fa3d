#include "tangram/c-family/Compiler.h"

#include "CompilerProcess.h"
#include "PrecompiledPreamble.h"
#include "TextFile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tangram::c_family {
namespace {

constexpr DiagnosticKind kNoCompiler{
    "c-family.no-compiler", DiagnosticClass::User, "there is no {0} compiler '{1}'{2}",
    "install it, or name another by the option 'compiler' of the backend in the target file{3}"};
constexpr DiagnosticKind kCompilerFailed{
    "c-family.compiler-failed", DiagnosticClass::User, "'{}' failed with exit code {} on {}; it says:\n{}",
    "check the options 'compiler' and 'flags' of the backend in the target file; if they are right, this is a bug of "
    "Tangram: report it with the file"};
constexpr DiagnosticKind kNoRuntime{"c-family.no-runtime", DiagnosticClass::User,
                                    "the header <{}> that generated code includes is not beside the backend",
                                    "name its folder by the option 'include' of the backend in the target file"};
constexpr DiagnosticKind kCancelled{"c-family.cancelled", DiagnosticClass::User, "the compiler was stopped", ""};
constexpr DiagnosticKind kNoFolder{"c-family.no-folder", DiagnosticClass::User, "cannot write into '{}'",
                                   "name a folder that exists and can be written"};

constexpr const char *kAbiHeader = "tangram/runtime/kernel_abi.h";

/// That this code is linked into.
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

std::optional<std::filesystem::path> findProgram(const std::string &name) {
  auto isProgram = [](const std::filesystem::path &file) { return access(file.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) return isProgram(name) ? std::optional(name) : std::nullopt;
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && isProgram(std::filesystem::path(folder) / name)) return std::filesystem::path(folder) / name;
  return std::nullopt;
}

std::filesystem::path includeFolder(const std::string &header, const std::string &inSource) {
  std::vector<std::filesystem::path> candidates;
  // PREFIX/lib/tangram/plugins, with one folder more where libraries are kept by architecture.
  std::filesystem::path folder = pluginFile().parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    if (up >= 2) candidates.push_back(folder / "include");
  }
  if (!inSource.empty()) candidates.emplace_back(inSource);
  for (const std::filesystem::path &candidate : candidates) {
    std::error_code ignored;
    if (std::filesystem::exists(candidate / header, ignored)) return candidate;
  }
  return {};
}

std::vector<std::string> optionFlags(const OptionValues &options, const std::string &header,
                                     const std::string &inSource) {
  std::vector<std::string> flags = options.texts("flags");
  if (options.has("quick") && options.flag("quick")) flags.emplace_back("-O1");
  for (const std::string &folder : options.texts("include")) flags.push_back("-I" + folder);
  auto add = [&](const std::string &wanted, const std::string &fallback) {
    std::filesystem::path folder = includeFolder(wanted, fallback);
    if (!folder.empty())
      flags.push_back("-I" + folder.string());
    else if (options.texts("include").empty())
      fail(kNoRuntime, rangeOf(options, "compiler"), wanted);
  };
  add(kAbiHeader, TANGRAM_SOURCE_INCLUDE);
  if (!header.empty()) add(header, inSource);
  return flags;
}

std::filesystem::path compileLibrary(const std::vector<OutputFile> &files, BuildContext &context,
                                     const CompilerCall &call) {
  const std::string &compiler = call.compiler.empty() ? context.options.text("compiler") : call.compiler;
  SourceRange where = rangeOf(context.options, "compiler");
  std::string advice = call.advice.empty() ? "" : "; " + call.advice;
  std::error_code folderFailed;
  std::filesystem::create_directories(context.folder, folderFailed);
  std::filesystem::path library = context.folder / ("lib" + context.stem + ".so");
  std::filesystem::path log = context.folder / (context.stem + ".build.log");
  std::vector<std::string> args = call.args;
  std::string sources, directives;
  auto isSource = [](const OutputFile &file) { return file.role == OutputFile::Role::Source; };
  for (const OutputFile &file : files) {
    std::filesystem::path path = context.folder / file.name;
    if (readText(path) != file.text && !(std::ofstream(path, std::ios::binary) << file.text))
      fail(kNoFolder, {}, context.folder.string());
    if (!isSource(file)) continue;
    args.push_back(path.string());
    sources += (sources.empty() ? "" : ", ") + file.name;
  }
  if (call.precompile && std::count_if(files.begin(), files.end(), isSource) == 1)
    directives = preamble(std::find_if(files.begin(), files.end(), isSource)->text);
  args.insert(args.end(), call.linking.begin(), call.linking.end());
  args.insert(args.end(), {"-o", library.string()});

  if (!std::ofstream(log)) fail(kNoFolder, {}, context.folder.string());
  auto run = [&](const std::vector<std::string> &with) {
    CompilerProcess process;
    if (const int failed = process.start(compiler, with, log)) {
      std::filesystem::remove(log);
      std::string reason = failed != ENOENT                          ? std::string(": ") + std::strerror(failed)
                           : compiler.find('/') == std::string::npos ? " on the PATH"
                                                                     : "";
      fail(kNoCompiler, where, call.language, compiler, reason, advice);
    }
    std::optional<int> code = process.wait(context.cancelled);
    if (code) return *code;
    std::filesystem::remove(log);
    fail(kCancelled, {});
  };
  int code = -1;
  if (!directives.empty())
    if (auto header = precompiledPreamble(compiler, call.args, directives, context.cancelled)) {
      std::vector<std::string> with = args;
      with.insert(with.begin(), {"-include", header->string()});
      code = run(with);
    }
  // What a precompiled header may be to blame for is no failure, either.
  if (code != 0) code = run(args);
  std::string said = readText(log);
  if (code != 0 || !std::filesystem::exists(library))
    fail(kCompilerFailed, where, compiler, code, sources, said.empty() ? "(nothing)" : said);
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  return library;
}

} // namespace tangram::c_family
