#include "tangram/runtime/Children.h"

#include <chrono>
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

[[noreturn]] void childMain(int fd, pid_t parent, const std::function<void(const Send &)> &work) {
  // A crash here is what the parent wants to know of: no handlers, no core file. Nothing outlives the parent.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT}) std::signal(s, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kThrew);
  setpgid(0, 0);
  try {
    work([fd](const Message &message) { sendTo(fd, message); });
  } catch (...) {
    _exit(kThrew);
  }
  _exit(0);
}

} // namespace

struct Children::Running {
  ChildJob job;
  pid_t pid = 0;
  int fd = -1;
  Clock::time_point heard;
  Decoder decoder;
  bool killed = false;
};

std::string ChildEnd::text() const {
  switch (how) {
  case How::Done: return "ended";
  case How::Signal: {
    const char *what = sigdescr_np(number);
    return fmt::format("crashed (signal {}: {})", number, what ? what : "unknown");
  }
  case How::Silent: return "did not come to an end in time";
  case How::Exit: break;
  }
  return fmt::format("ended the process (status {})", number);
}

void Children::add(ChildJob job) { waiting_.push_back(std::move(job)); }

void Children::run() {
  std::list<Running> running;
  auto start = [&](ChildJob job) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    std::fflush(nullptr);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
      int error = errno;
      close(ends[0]);
      close(ends[1]);
      throw std::system_error(error, std::generic_category(), "fork");
    }
    if (pid == 0) {
      close(ends[0]);
      for (const Running &other : running) close(other.fd);
      childMain(ends[1], parent, job.work);
    }
    setpgid(pid, pid); // here too: whichever of the two is first
    close(ends[1]);
    running.push_back({std::move(job), pid, ends[0], Clock::now(), {}, false});
  };
  auto finish = [&](std::list<Running>::iterator it) {
    int status = 0;
    while (waitpid(it->pid, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-it->pid, SIGKILL); // what it started and left behind
    close(it->fd);
    ChildEnd end;
    if (it->killed)
      end = {ChildEnd::How::Silent, 0};
    else if (WIFSIGNALED(status))
      end = {ChildEnd::How::Signal, WTERMSIG(status)};
    else if (WEXITSTATUS(status) != 0)
      end = {ChildEnd::How::Exit, WEXITSTATUS(status)};
    auto ended = std::move(it->job.ended);
    running.erase(it);
    if (ended) ended(end);
  };

  try {
    while (!running.empty() || !waiting_.empty()) {
      while (running.size() < parallel_ && !waiting_.empty()) {
        ChildJob job = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        start(std::move(job));
      }
      std::vector<pollfd> fds;
      double wait = 3600;
      for (const Running &r : running) {
        fds.push_back({r.fd, POLLIN, 0});
        double silent = std::chrono::duration<double>(Clock::now() - r.heard).count();
        wait = std::min(wait, std::max(0.0, r.job.silence - silent));
      }
      if (poll(fds.data(), fds.size(), static_cast<int>(wait * 1000) + 1) < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "poll");
      std::size_t i = 0;
      for (auto it = running.begin(); it != running.end(); ++i) {
        auto current = it++;
        if (i >= fds.size()) break; // started meanwhile
        if (fds[i].revents) {
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
          kill(-current->pid, SIGKILL);
          kill(current->pid, SIGKILL);
          finish(current);
        }
      }
    }
  } catch (...) {
    for (const Running &r : running) {
      kill(-r.pid, SIGKILL);
      waitpid(r.pid, nullptr, 0);
      close(r.fd);
    }
    throw;
  }
}

ChildEnd runChild(const std::function<void(const Send &)> &work, const std::function<void(const Message &)> &receive,
                  double silence) {
  ChildEnd result;
  Children children(1);
  children.add({work, receive, [&](const ChildEnd &end) { result = end; }, silence});
  children.run();
  return result;
}

} // namespace tangram::runtime
