#include "tangram/c-family/Compiler.h"

#include "tangram/process/Cleanup.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char **environ;

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

std::string read(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

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

/// A compiler, whose output goes to a file. Where this process ends before it does, in whatever way, it is killed, and
/// what it keeps in the temporary folder removed. (Boost.Process would make everybody who links this library link
/// Boost.)
class Child {
public:
  ~Child() {
    if (folder_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    runtime::dropFolder(folder_);
  }

  /// Returns an errno: ENOENT where there is no such program, by its path or on the PATH.
  int start(const std::string &program, const std::vector<std::string> &args, const std::filesystem::path &log) {
    std::vector<char *> argv{const_cast<char *>(program.c_str())};
    for (const std::string &arg : args) argv.push_back(const_cast<char *>(arg.c_str()));
    argv.push_back(nullptr);
    std::vector<char *> environment;
    for (char **entry = environ; *entry; ++entry) environment.push_back(*entry);
    // A child of ours that builds is killed with its group; else the compiler has a group of its own.
    const bool apart = !runtime::diesWithGroup();
    std::string temporary;
    if (apart && makeFolder()) {
      temporary = "TMPDIR=" + folder_.string();
      std::erase_if(environment, [](const char *entry) { return std::string_view(entry).starts_with("TMPDIR="); });
      environment.push_back(temporary.data());
    }
    environment.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_TRUNC, 0);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (apart) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // 0: its own
    int failed = posix_spawnp(&pid_, program.c_str(), &files, &attributes, argv.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (apart && !failed) runtime::killAtEnd(group_ = pid_);
    return failed;
  }
  bool running() {
    if (waitpid(pid_, &status_, WNOHANG) == 0) return true;
    ended();
    return false;
  }
  void stop() {
    kill(pid_, SIGTERM);
    waitpid(pid_, &status_, 0);
    ended();
  }
  /// As a shell has it.
  int exitCode() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

private:
  bool makeFolder() {
    std::error_code none;
    std::string pattern = (std::filesystem::temp_directory_path(none) / "tangram-compiler-XXXXXX").string();
    if (none || !mkdtemp(pattern.data())) return false;
    folder_ = pattern;
    runtime::removeAtEnd(folder_);
    return true;
  }
  /// What it has started, if it was stopped, ends with it.
  void ended() {
    if (group_ < 0) return;
    kill(-group_, SIGKILL);
    runtime::dropGroup(std::exchange(group_, -1));
  }

  pid_t pid_ = -1, group_ = -1;
  int status_ = 0;
  std::filesystem::path folder_;
};

} // namespace

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
  std::string sources;
  for (const OutputFile &file : files) {
    std::filesystem::path path = context.folder / file.name;
    if (read(path) != file.text && !(std::ofstream(path, std::ios::binary) << file.text))
      fail(kNoFolder, {}, context.folder.string());
    if (file.role != OutputFile::Role::Source) continue;
    args.push_back(path.string());
    sources += (sources.empty() ? "" : ", ") + file.name;
  }
  args.insert(args.end(), call.libraries.begin(), call.libraries.end());
  args.insert(args.end(), {"-o", library.string()});

  if (!std::ofstream(log)) fail(kNoFolder, {}, context.folder.string());
  Child child;
  if (int failed = child.start(compiler, args, log)) {
    std::filesystem::remove(log);
    std::string reason = failed != ENOENT                          ? std::string(": ") + std::strerror(failed)
                         : compiler.find('/') == std::string::npos ? " on the PATH"
                                                                   : "";
    fail(kNoCompiler, where, call.language, compiler, reason, advice);
  }
  while (child.running()) {
    if (context.cancelled && context.cancelled()) {
      child.stop();
      std::filesystem::remove(log);
      fail(kCancelled, {});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::string said = read(log);
  if (child.exitCode() != 0 || !std::filesystem::exists(library))
    fail(kCompilerFailed, where, compiler, child.exitCode(), sources, said.empty() ? "(nothing)" : said);
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  return library;
}

} // namespace tangram::c_family
