#include "tangram/verify/TimedCalls.h"

#include <chrono>

namespace tangram::runtime {

TimedCalls::TimedCalls(const tangram_kernel &kernel, std::vector<Value> &values, const std::vector<Value> &original)
    : kernel_(kernel), values_(values), original_(original) {
  for (std::uint32_t i = 0; i < kernel.num_params; ++i)
    changes_ |= kernel.params[i].access == TANGRAM_INOUT && kernel.params[i].rank > 0;
  const tangram_device *device = deviceOf(kernel);
  if (!device) return;
  restore();
  device_ = describe(*device);
  onDevice_.emplace(kernel_, values_);
  note(onDevice_->status());
}

void TimedCalls::note(CallResult result) {
  if (status_.ok()) status_ = std::move(result);
}

void TimedCalls::restore() {
  if (onDevice_) {
    if (status_.ok()) note(onDevice_->restore());
    return;
  }
  for (std::uint32_t i = 0; i < kernel_.num_params; ++i)
    if (kernel_.params[i].access == TANGRAM_INOUT) values_[i].assign(original_[i]);
}

double TimedCalls::call() {
  double seconds = 0;
  if (!status_.ok()) return seconds;
  if (onDevice_) {
    note(onDevice_->time(seconds));
    return seconds;
  }
  auto start = std::chrono::steady_clock::now();
  CallResult result = runtime::call(kernel_, values_);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  note(std::move(result));
  return seconds;
}

} // namespace tangram::runtime
