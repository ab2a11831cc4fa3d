// For generated code: what the entry of a kernel that takes host memory does around the one that takes memory of the
// device. C++17, without the compiler's library.
#pragma once

#include <tangram/runtime/kernel_abi.h>

#include <cstdio>
#include <initializer_list>
#include <vector>

namespace tangram_entry {

/// Bytes from the first element of an array to behind its last; `strides` of all dimensions but the last.
inline size_t bytes(size_t element, std::initializer_list<size_t> sizes, std::initializer_list<size_t> strides) {
  size_t last = 0;
  const size_t *stride = strides.begin();
  for (size_t size : sizes) {
    if (size == 0) return 0;
    last += (size - 1) * (stride == strides.end() ? 1 : *stride++);
  }
  return (last + 1) * element;
}

/// One call: copies of its arguments on the device, until it ends. The first thing that goes wrong is kept, and nothing
/// is done after it.
template <size_t N> class HostCall {
public:
  /// `message` takes what went wrong, with the kernel's name in front.
  HostCall(const tangram_device &device, const char *kernel, char (&message)[N])
      : device_(device), kernel_(kernel), message_(message) {
    tangram_error error{};
    keep(device_.open(&error), error);
  }
  ~HostCall() {
    for (void *memory : held_) device_.release(memory);
  }
  HostCall(const HostCall &) = delete;
  HostCall &operator=(const HostCall &) = delete;

  bool ok() const { return status_ == TANGRAM_OK; }
  void *memory(size_t bytes) {
    void *handle = nullptr;
    tangram_error error{};
    if (!ok() || bytes == 0 || !keep(device_.allocate(&handle, bytes, &error), error)) return nullptr;
    held_.push_back(handle);
    return handle;
  }
  void *in(const void *data, size_t bytes) {
    void *handle = memory(bytes);
    tangram_error error{};
    if (handle != nullptr) keep(device_.upload(handle, data, bytes, &error), error);
    return handle;
  }
  void *out(void *data, size_t bytes) {
    void *handle = memory(bytes);
    if (handle != nullptr) results_.push_back({data, handle, bytes});
    return handle;
  }
  void *inout(void *data, size_t bytes) {
    void *handle = in(data, bytes);
    if (handle != nullptr) results_.push_back({data, handle, bytes});
    return handle;
  }
  /// Waits and copies back. `status`: of the kernel's entry, which has written its own message.
  int finish(int status) {
    if (ok()) status_ = status;
    tangram_error error{};
    // Also after a failure: nothing may still use the memory when it is released.
    int waited = device_.wait(&error);
    if (ok()) keep(waited, error);
    for (const Result &r : results_)
      if (ok()) keep(device_.download(r.to, r.from, r.bytes, &error), error);
    return status_;
  }
  /// Where the entry was not called.
  int finish() { return finish(status_); }

private:
  struct Result {
    void *to, *from;
    size_t bytes;
  };
  bool keep(int status, tangram_error &error) {
    status_ = status;
    error.message[sizeof error.message - 1] = '\0';
    if (status != TANGRAM_OK) std::snprintf(message_, N, "%s: %s", kernel_, error.message);
    return ok();
  }

  const tangram_device &device_;
  const char *kernel_;
  char (&message_)[N];
  int status_ = TANGRAM_OK;
  std::vector<void *> held_;
  std::vector<Result> results_;
};

} // namespace tangram_entry
