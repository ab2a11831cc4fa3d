// Calls of a kernel by the clock of where it runs: on the host, or with the data in the memory of its device.
#pragma once

#include "tangram/verify/DeviceArguments.h"

#include <optional>

namespace tangram::runtime {

class TimedCalls {
public:
  /// Calls with `values`, in which the elements of `original` are restored. All live as long as this does.
  TimedCalls(const tangram_kernel &kernel, std::vector<Value> &values, const std::vector<Value> &original);

  /// What went wrong first, if anything: then nothing is called any more.
  const CallResult &status() const { return status_; }
  /// What the device calls itself; empty: the kernel runs on the host.
  const std::string &device() const { return device_; }
  /// Whether the kernel changes containers, so that each call needs a restore().
  bool changesArguments() const { return changes_; }

  /// Arguments that the kernel changes are what they were once more.
  void restore();
  /// One call: seconds.
  double call();

private:
  void note(CallResult result);

  const tangram_kernel &kernel_;
  std::vector<Value> &values_;
  const std::vector<Value> &original_;
  std::string device_;
  bool changes_ = false;
  CallResult status_;
  std::optional<DeviceArguments> onDevice_;
};

} // namespace tangram::runtime
