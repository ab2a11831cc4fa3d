#include "tangram/process/Children.h"

#include "tangram/process/Cleanup.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <list>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tangram::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kThrew = 86; // exit status of a child whose work threw

/// Fields are prefixed with their length; a message with the number of its fields.
void append(std::string &out, std::uint64_t n) { out.append(reinterpret_cast<const char *>(&n), sizeof n); }

void writeAll(int fd, const std::string &bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    ssize_t n = write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(kThrew); // the parent is gone
    at += static_cast<std::size_t>(n);
  }
}

void sendTo(int fd, const Message &message) {
  std::string bytes;
  append(bytes, message.size());
  for (const std::string &field : message) {
    append(bytes, field.size());
    bytes += field;
  }
  writeAll(fd, bytes);
}

/// Takes whole messages off the front of what was received.
class Decoder {
public:
  void feed(const char *data, std::size_t n) { buffer_.append(data, n); }
  bool next(Message &message) {
    std::size_t at = 0;
    std::uint64_t fields = 0;
    if (!number(at, fields)) return false;
    message.clear();
    for (std::uint64_t i = 0; i < fields; ++i) {
      std::uint64_t length = 0;
      if (!number(at, length) || buffer_.size() - at < length) return false;
      message.push_back(buffer_.substr(at, length));
      at += length;
    }
    buffer_.erase(0, at);
    return true;
  }

private:
  bool number(std::size_t &at, std::uint64_t &n) const {
    if (buffer_.size() - at < sizeof n) return false;
    std::memcpy(&n, buffer_.data() + at, sizeof n);
    at += sizeof n;
    return true;
  }
  std::string buffer_;
};

/// The last of what came through a pipe.
class Tail {
public:
  void feed(const char *data, std::size_t n) {
    buffer_.append(data, n);
    if (buffer_.size() > 2 * kKept) buffer_.erase(0, buffer_.size() - kKept);
  }
  std::string take() { return std::move(buffer_); }

private:
  static constexpr std::size_t kKept = 1 << 16;
  std::string buffer_;
};

std::string lastLine(const std::string &text) {
  constexpr std::size_t most = 300;
  std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  std::size_t begin = text.find_last_of("\r\n", end) + 1; // 0 where there is none
  std::string line = text.substr(begin, end + 1 - begin);
  return line.size() > most ? line.substr(0, most) + " ..." : line;
}

[[noreturn]] void childMain(int fd, int errors, pid_t parent, const std::function<void(const Send &)> &work) {
  // A crash here is what the parent wants to know of: no handlers, no core file. Nothing outlives the parent.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT}) std::signal(s, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kThrew);
  setpgid(0, 0);
  killAtEnd(getpid());
  dup2(errors, STDERR_FILENO);
  try {
    work([fd](const Message &message) { sendTo(fd, message); });
  } catch (...) {
    _exit(kThrew);
  }
  _exit(0);
}

struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    from = ends[0], to = ends[1];
  }
  void closeBoth() const {
    close(from);
    close(to);
  }
};

} // namespace

struct Children::Running {
  ChildJob job;
  pid_t pid = 0;
  int fd = -1, errors = -1;
  Clock::time_point heard;
  Decoder decoder;
  Tail said;
  bool killed = false, late = false;

  /// What there is on standard error now, a pipe full at most, without waiting for more.
  void readErrors() {
    char buffer[1 << 16];
    pollfd ready{errors, POLLIN, 0};
    if (errors < 0 || poll(&ready, 1, 0) <= 0) return;
    ssize_t n = read(errors, buffer, sizeof buffer);
    if (n > 0) said.feed(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) closeErrors();
  }
  void closeErrors() {
    if (errors >= 0) close(errors);
    errors = -1;
  }
};

std::string ChildEnd::text() const {
  auto how = [&]() -> std::string {
    switch (this->how) {
    case How::Done: return "ended";
    case How::Signal: {
      const char *what = sigdescr_np(number);
      return fmt::format("crashed (signal {}: {})", number, what ? what : "unknown");
    }
    case How::Silent: return "did not come to an end in time";
    case How::Late: return "was stopped when time was up";
    case How::Exit: break;
    }
    return fmt::format("ended the process (status {})", number);
  };
  std::string line = done() ? "" : lastLine(said);
  return line.empty() ? how() : fmt::format("{}: {}", how(), line);
}

void Children::add(ChildJob job) { waiting_.push_back(std::move(job)); }
void Children::addFirst(ChildJob job) { waiting_.push_front(std::move(job)); }

bool Children::isLate(const ChildJob &job) const {
  return Clock::now() >= job.deadline || (interrupted_ && interrupted_());
}

void Children::run() {
  std::list<Running> running;
  auto start = [&](ChildJob job) {
    Pipe messages, errors;
    std::fflush(nullptr);
    startCleanup();
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
      int error = errno;
      messages.closeBoth();
      errors.closeBoth();
      throw std::system_error(error, std::generic_category(), "fork");
    }
    if (pid == 0) {
      close(messages.from);
      close(errors.from);
      for (const Running &other : running) {
        close(other.fd);
        if (other.errors >= 0) close(other.errors);
      }
      childMain(messages.to, errors.to, parent, job.work);
    }
    setpgid(pid, pid); // here too: whichever of the two is first
    close(messages.to);
    close(errors.to);
    running.push_back({std::move(job), pid, messages.from, errors.from, Clock::now(), {}, {}});
  };
  auto finish = [&](std::list<Running>::iterator it) {
    int status = 0;
    while (waitpid(it->pid, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-it->pid, SIGKILL); // what it started and left behind
    dropGroup(it->pid);
    close(it->fd);
    it->readErrors();
    it->closeErrors();
    ChildEnd end;
    if (it->late)
      end = {ChildEnd::How::Late, 0, {}};
    else if (it->killed)
      end = {ChildEnd::How::Silent, 0, {}};
    else if (WIFSIGNALED(status))
      end = {ChildEnd::How::Signal, WTERMSIG(status), {}};
    else if (WEXITSTATUS(status) != 0)
      end = {ChildEnd::How::Exit, WEXITSTATUS(status), {}};
    end.said = it->said.take();
    auto ended = std::move(it->job.ended);
    running.erase(it);
    if (ended) ended(end);
  };

  try {
    while (!running.empty() || !waiting_.empty()) {
      while (running.size() < parallel_ && !waiting_.empty()) {
        ChildJob job = std::move(waiting_.front());
        waiting_.pop_front();
        if (!isLate(job))
          start(std::move(job));
        else if (job.ended)
          job.ended({ChildEnd::How::Late, 0, {}});
      }
      if (running.empty()) continue;
      std::vector<pollfd> fds;
      double wait = interrupted_ ? 0.5 : 3600;
      for (const Running &r : running) {
        fds.push_back({r.fd, POLLIN, 0});
        fds.push_back({r.errors, POLLIN, 0});
        double silent = std::chrono::duration<double>(Clock::now() - r.heard).count();
        wait = std::min(wait, std::max(0.0, r.job.silence - silent));
        if (r.job.deadline != Clock::time_point::max())
          wait = std::min(wait, std::max(0.0, std::chrono::duration<double>(r.job.deadline - Clock::now()).count()));
      }
      if (poll(fds.data(), fds.size(), static_cast<int>(wait * 1000) + 1) < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "poll");
      std::size_t i = 0;
      for (auto it = running.begin(); it != running.end(); i += 2) {
        auto current = it++;
        if (i >= fds.size()) break; // started meanwhile
        if (fds[i + 1].revents) current->readErrors();
        auto stop = [&] {
          kill(-current->pid, SIGKILL);
          kill(current->pid, SIGKILL);
          finish(current);
        };
        if (isLate(current->job)) {
          current->late = true;
          stop();
        } else if (fds[i].revents) {
          char buffer[65536];
          ssize_t n = read(current->fd, buffer, sizeof buffer);
          if (n > 0) {
            current->heard = Clock::now();
            current->decoder.feed(buffer, static_cast<std::size_t>(n));
            Message message;
            while (current->decoder.next(message))
              if (current->job.receive) current->job.receive(message);
          } else if (n == 0 || errno != EINTR) {
            finish(current);
          }
        } else if (std::chrono::duration<double>(Clock::now() - current->heard).count() >= current->job.silence) {
          current->killed = true;
          stop();
        }
      }
    }
  } catch (...) {
    for (const Running &r : running) {
      kill(-r.pid, SIGKILL);
      waitpid(r.pid, nullptr, 0);
      dropGroup(r.pid);
      close(r.fd);
      if (r.errors >= 0) close(r.errors);
    }
    throw;
  }
}

ChildEnd runChild(const std::function<void(const Send &)> &work, const std::function<void(const Message &)> &receive,
                  double silence) {
  ChildEnd result;
  Children children(1);
  ChildJob job{work, receive, [&](const ChildEnd &end) { result = end; }, silence};
  children.add(std::move(job));
  children.run();
  return result;
}

} // namespace tangram::runtime
