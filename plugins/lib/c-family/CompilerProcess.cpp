#include "CompilerProcess.h"

#include "tangram/process/Cleanup.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace tangram::c_family {

CompilerProcess::~CompilerProcess() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  runtime::dropFolder(folder_);
}

int CompilerProcess::start(const std::string &program, const std::vector<std::string> &args,
                           const std::filesystem::path &log) {
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
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_TRUNC | O_CREAT, 0666);
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

std::optional<int> CompilerProcess::wait(const std::function<bool()> &cancelled) {
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (cancelled && cancelled()) {
      kill(pid_, SIGTERM);
      waitpid(pid_, &status, 0);
      ended();
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ended();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool CompilerProcess::makeFolder() {
  std::error_code none;
  std::string pattern = (std::filesystem::temp_directory_path(none) / "tangram-compiler-XXXXXX").string();
  if (none || !mkdtemp(pattern.data())) return false;
  folder_ = pattern;
  runtime::removeAtEnd(folder_);
  return true;
}

/// What it has started, if it was stopped, ends with it.
void CompilerProcess::ended() {
  if (group_ < 0) return;
  kill(-group_, SIGKILL);
  runtime::dropGroup(std::exchange(group_, -1));
}

} // namespace tangram::c_family
