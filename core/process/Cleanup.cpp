#include "tangram/process/Cleanup.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace tangram::runtime {
namespace {

/// One message: a letter, + or -, what it is about, and a zero. They are shorter than what a pipe takes at once.
[[noreturn]] void watch(int from) {
  // Apart from the terminal: what interrupts the others leaves this one alone. Nobody waits for a pipe that it holds.
  setsid();
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(s, SIG_IGN);
  for (int s : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(s, SIG_DFL);
  prctl(PR_SET_NAME, "tangram-cleanup");
  dup2(from, STDIN_FILENO);
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close_range(3, ~0u, 0);

  std::set<std::string> folders, groups;
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break; // all that held the other end are gone
    text.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = text.find('\0')) != std::string::npos; text.erase(0, end + 1)) {
      if (end < 3) continue;
      std::set<std::string> &known = text[0] == 'f' ? folders : groups;
      std::string what = text.substr(2, end - 2);
      if (text[1] == '+')
        known.insert(what);
      else
        known.erase(what);
    }
  }
  for (const std::string &group : groups) kill(-static_cast<pid_t>(std::stol(group)), SIGKILL);
  // What dies may still write a file.
  for (int tries = 0; tries < 50; ++tries) {
    bool left = false;
    for (const std::string &folder : folders) {
      std::error_code ec;
      std::filesystem::remove_all(folder, ec);
      left |= std::filesystem::exists(folder, ec);
    }
    if (!left && tries > 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  _exit(0);
}

/// The end of the pipe to the process that waits; -1 where there is none. All processes that are forked from this one
/// hold it too, and die with it; what they execute does not.
int start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    watch(ends[0]);
  }
  close(ends[0]);
  if (pid > 0) return ends[1];
  close(ends[1]);
  return -1;
}

int pipeEnd() {
  static const int to = start();
  return to;
}

pid_t ownGroup = -1; // where it is killed at the end

void tell(char kind, char what, const std::string &text) {
  const int to = pipeEnd();
  std::string message = std::string{kind, what} + text + '\0';
  while (to >= 0 && write(to, message.data(), message.size()) < 0 && errno == EINTR) {
  }
}

} // namespace

void startCleanup() { pipeEnd(); }
void removeAtEnd(const std::filesystem::path &folder) { tell('f', '+', std::filesystem::absolute(folder).string()); }
void dropFolder(const std::filesystem::path &folder) { tell('f', '-', std::filesystem::absolute(folder).string()); }
void killAtEnd(pid_t group) {
  tell('g', '+', std::to_string(group));
  if (group == getpgrp()) ownGroup = group;
}
void dropGroup(pid_t group) {
  tell('g', '-', std::to_string(group));
  if (group == ownGroup) ownGroup = -1;
}
bool diesWithGroup() { return getpgrp() == ownGroup; }

} // namespace tangram::runtime
