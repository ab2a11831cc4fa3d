// Runs device functions on this machine: the same code for another processor, a thread for each worker of a group,
// groups one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tangram::test {

class HostRun {
public:
  /// `ir`: what the backend's option `ir` writes.
  explicit HostRun(const std::string &ir);
  ~HostRun();

  /// `args`: where each argument's value lies.
  void launch(const std::string &function, unsigned groups, unsigned threads, std::vector<void *> args);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tangram::test
