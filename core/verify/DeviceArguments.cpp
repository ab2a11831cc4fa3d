#include "tangram/verify/DeviceArguments.h"

#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <cstddef>

namespace tangram::runtime {
namespace {

/// What a function of the ABI returned, in words.
CallResult result(int status, tangram_error &error) {
  error.message[sizeof error.message - 1] = 0;
  CallResult r{status, ""};
  if (!r.ok()) r.message = *error.message ? error.message : "the device does not say why";
  return r;
}

} // namespace

const tangram_device *deviceOf(const tangram_kernel &kernel) {
  bool older = kernel.struct_size < offsetof(tangram_kernel, launch) + sizeof kernel.launch;
  if (older || !kernel.device) return nullptr;
  tangram_error error{};
  return kernel.device->open(&error) == TANGRAM_OK ? kernel.device : nullptr;
}

std::string describe(const tangram_device &device) {
  char text[256] = "";
  tangram_error error{};
  if (device.describe(text, sizeof text, &error) != TANGRAM_OK) return "a device that does not say what it is";
  text[sizeof text - 1] = 0;
  return text;
}

DeviceArguments::DeviceArguments(const tangram_kernel &kernel, std::vector<Value> &host)
    : kernel_(kernel), device_(*kernel.device), host_(host), copies_(host.size()) {
  if (host.size() != kernel.num_params)
    failBug({}, fmt::format("call of kernel '{}'", kernel.name),
            fmt::format("{} arguments for {} parameters", host.size(), kernel.num_params));
  for (std::size_t i = 0; i < host.size(); ++i) {
    Copy &copy = copies_[i];
    if (host[i].rank() > 0) copy.array = *static_cast<const tangram_array *>(host[i].argument());
    void *argument = host[i].rank() > 0 ? &copy.array : host[i].argument();
    if (onDevice(i)) {
      tangram_error error{};
      // A handle also for what is empty: null would be an error of the caller.
      status_ = result(device_.allocate(&copy.memory, std::max<std::uint64_t>(1, bytesOf(i)), &error), error);
      if (status_.ok()) status_ = upload(i);
      if (!status_.ok()) return;
      copy.array.data = copy.memory;
      if (host[i].rank() == 0) argument = copy.memory;
    }
    args_.push_back(argument);
  }
  if (std::uint64_t bytes = kernel.workspace(args_.data()); bytes > 0) {
    tangram_error error{};
    status_ = result(device_.allocate(&workspace_, bytes, &error), error);
  }
}

DeviceArguments::~DeviceArguments() {
  tangram_error ignored{};
  device_.wait(&ignored);
  for (const Copy &copy : copies_) device_.release(copy.memory);
  device_.release(workspace_);
}

bool DeviceArguments::onDevice(std::size_t i) const {
  return host_[i].rank() > 0 || kernel_.params[i].access == TANGRAM_OUT;
}

std::uint64_t DeviceArguments::bytesOf(std::size_t i) const {
  const Copy &copy = copies_[i];
  std::uint64_t last = 0; // the last element, counted in elements from the first
  for (unsigned d = 0; d < host_[i].rank(); ++d) {
    if (copy.array.size[d] == 0) return 0;
    last += (copy.array.size[d] - 1) * copy.array.stride[d];
  }
  return (last + 1) * host_[i].type().bytes;
}

CallResult DeviceArguments::upload(std::size_t i) {
  tangram_error error{};
  if (bytesOf(i) == 0) return {};
  const void *from = host_[i].rank() > 0 ? host_[i].data() : host_[i].argument();
  return result(device_.upload(copies_[i].memory, from, bytesOf(i), &error), error);
}

CallResult DeviceArguments::restore() {
  for (std::size_t i = 0; i < host_.size(); ++i)
    if (onDevice(i) && kernel_.params[i].access == TANGRAM_INOUT)
      if (CallResult r = upload(i); !r.ok()) return r;
  return {};
}

CallResult DeviceArguments::time(double &seconds) {
  struct Work {
    DeviceArguments &self;
    tangram_error error;
  } work{*this, {}};
  auto run = [](void *context) {
    Work &w = *static_cast<Work *>(context);
    return w.self.kernel_.launch(w.self.args_.data(), w.self.workspace_, &w.error);
  };
  double milliseconds = 0;
  tangram_error error{};
  int status = device_.time(run, &work, &milliseconds, &error);
  seconds = milliseconds / 1000;
  // What the kernel says of itself is closer to the cause.
  return result(status, *work.error.message ? work.error : error);
}

CallResult DeviceArguments::download() {
  for (std::size_t i = 0; i < host_.size(); ++i) {
    if (!onDevice(i) || kernel_.params[i].access == TANGRAM_IN || bytesOf(i) == 0) continue;
    tangram_error error{};
    void *to = host_[i].rank() > 0 ? host_[i].data() : host_[i].argument();
    CallResult r = result(device_.download(to, copies_[i].memory, bytesOf(i), &error), error);
    if (!r.ok()) return r;
  }
  return {};
}

} // namespace tangram::runtime
