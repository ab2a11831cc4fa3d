// Arguments of a kernel in the memory of the device that it runs on, so that calls can be timed without copies.
#pragma once

#include "tangram/verify/KernelLibrary.h"
#include "tangram/verify/Timing.h"

namespace tangram::runtime {

/// Null where the kernel runs on the host, or its device is not there: then it is `invoke` that says why.
const tangram_device *deviceOf(const tangram_kernel &kernel);
/// What the device calls itself.
std::string describe(const tangram_device &device);

class DeviceArguments {
public:
  /// Copies `host` to the device of the kernel. Both must live as long as this does.
  DeviceArguments(const tangram_kernel &kernel, std::vector<Value> &host);
  ~DeviceArguments();
  DeviceArguments(const DeviceArguments &) = delete;
  DeviceArguments &operator=(const DeviceArguments &) = delete;

  /// Why there is no copy; ok() otherwise.
  const CallResult &status() const { return status_; }
  /// The host's values of what the kernel changes, once more.
  CallResult restore();
  /// One run, by the clock of the device.
  CallResult time(double &seconds);
  /// What the kernel wrote, into the host's values.
  CallResult download();

private:
  struct Copy {
    void *memory = nullptr;
    tangram_array array{}; // as the kernel sees it
  };
  CallResult upload(std::size_t argument);
  bool onDevice(std::size_t argument) const;
  std::uint64_t bytesOf(std::size_t argument) const;

  const tangram_kernel &kernel_;
  const tangram_device &device_;
  std::vector<Value> &host_;
  std::vector<Copy> copies_;
  std::vector<void *> args_;
  void *workspace_ = nullptr;
  CallResult status_;
};

} // namespace tangram::runtime
