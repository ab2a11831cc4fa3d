// Work in child processes: what crashes or hangs there leaves this process whole. What a child writes to standard error
// is kept for whoever asks how it ended: of one that does its work it is chatter (of a driver's compiler, say).
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::runtime {

using Message = std::vector<std::string>;

/// Sends one message to the parent.
using Send = std::function<void(const Message &)>;

struct ChildEnd {
  enum class How : std::uint8_t { Done, Signal, Silent, Exit, Late } how = How::Done; // Late: by ChildJob::deadline
  int number = 0;   // of the signal, or the exit status
  std::string said; // the end of what it wrote to standard error
  bool done() const { return how == How::Done; }
  std::string text() const; // "crashed (segmentation fault)", "did not end within ..."; with the last line of `said`
};

struct ChildJob {
  std::function<void(const Send &)> work; // in the child; what it throws ends it with How::Exit
  std::function<void(const Message &)> receive;
  std::function<void(const ChildEnd &)> ended;
  double silence = 60; // seconds without a message after which it is killed
  /// When it is killed whatever it does, and not begun any more.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// Runs jobs, at most `parallel` at a time, in the order in which they were added. `ended` may add more. Each child
/// leads a process group of its own, which is gone when `ended` is called, or this process ends (Cleanup.h).
class Children {
public:
  /// Once `interrupted` says so, all jobs are late; it is asked after every signal and at least twice a second.
  explicit Children(unsigned parallel, std::function<bool()> interrupted = {})
      : parallel_(parallel), interrupted_(std::move(interrupted)) {}
  void add(ChildJob job);
  void addFirst(ChildJob job); // before all others that wait
  void run();

private:
  struct Running;
  bool isLate(const ChildJob &job) const;
  unsigned parallel_;
  std::function<bool()> interrupted_;
  std::deque<ChildJob> waiting_;
};

/// One job alone.
ChildEnd runChild(const std::function<void(const Send &)> &work, const std::function<void(const Message &)> &receive,
                  double silence);

} // namespace tangram::runtime
