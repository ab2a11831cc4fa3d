// For generated code: the device that kernels run on, and its memory. C++17.
//
// That is the device of the context that is current in the calling thread; where there is none, device 0 (the first of
// CUDA_VISIBLE_DEVICES), whose primary context is shared with all that use the CUDA runtime.
#pragma once

#include <tangram/ptx/driver.h>

namespace tangram_ptx {

/// Makes a context current as long as it lives. Where there is none, `message` says why.
class Current {
public:
  Current() : driver_(Driver::get()) {
    if (!driver_.missing.empty()) {
      message = driver_.missing;
      return;
    }
    if (driver_.cuCtxGetCurrent(&context) == 0 && context != nullptr) return;
    const Primary &primary = Primary::get();
    message = primary.message;
    if (!message.empty()) return;
    Result code = driver_.cuCtxPushCurrent_v2(primary.context);
    if (code != 0) {
      message = driver_.text("using the device", code);
      return;
    }
    context = primary.context;
    pushed_ = true;
  }
  ~Current() {
    Context popped = nullptr;
    if (pushed_) driver_.cuCtxPopCurrent_v2(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  bool ok() const { return message.empty(); }
  const Driver &driver() const { return driver_; }
  Device device() const {
    Device id = 0;
    driver_.cuCtxGetDevice(&id);
    return id;
  }
  int attribute(Attribute which) const {
    int value = 0;
    driver_.cuDeviceGetAttribute(&value, which, device());
    return value;
  }
  std::string name() const {
    char text[256] = "";
    driver_.cuDeviceGetName(text, sizeof text, device());
    return text;
  }

  Context context = nullptr;
  std::string message;

private:
  /// Retained once and never given back: memory and code live in it.
  struct Primary {
    Context context = nullptr;
    std::string message;
    static const Primary &get() {
      static const Primary primary;
      return primary;
    }

  private:
    Primary() {
      const Driver &driver = Driver::get();
      Device device = 0;
      Result code = driver.cuDeviceGet(&device, 0);
      if (code == 0) code = driver.cuDevicePrimaryCtxRetain(&context, device);
      if (code != 0) message = driver.text("opening device 0", code);
    }
  };

  const Driver &driver_;
  bool pushed_ = false;
};

inline int reported(tangram_error *error, int status, const std::string &message) {
  if (error == nullptr) return status;
  error->status = status;
  std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
  return status;
}

/// Calls `f` with a context; what it returns is the driver's.
template <class F> int withDevice(tangram_error *error, const std::string &what, F f) {
  Current current;
  if (!current.ok()) return reported(error, TANGRAM_FAILED, current.message);
  Result code = f(current);
  if (code == 0) return reported(error, TANGRAM_OK, "");
  return reported(error, code == kOutOfMemory ? TANGRAM_OUT_OF_MEMORY : TANGRAM_FAILED,
                  current.driver().text(what, code));
}

inline Address address(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

// ---- the functions of tangram_device

inline int open(tangram_error *error) {
  return withDevice(error, "opening the device", [](Current &) { return 0; });
}
inline int describe(char *text, size_t size, tangram_error *error) {
  return withDevice(error, "describing the device", [&](Current &c) {
    std::snprintf(text, size, "%s (sm_%d%d, %d multiprocessors)", c.name().c_str(), c.attribute(kMajor),
                  c.attribute(kMinor), c.attribute(kMultiprocessors));
    return 0;
  });
}
inline int allocate(void **memory, uint64_t bytes, tangram_error *error) {
  return withDevice(error, "allocating " + std::to_string(bytes) + " bytes on the device", [&](Current &c) {
    Address made = 0;
    Result code = c.driver().cuMemAlloc_v2(&made, bytes != 0 ? static_cast<size_t>(bytes) : 1);
    *memory = code == 0 ? reinterpret_cast<void *>(static_cast<uintptr_t>(made)) : nullptr;
    return code;
  });
}
inline void release(void *memory) {
  if (memory != nullptr) withDevice(nullptr, "", [&](Current &c) { return c.driver().cuMemFree_v2(address(memory)); });
}
inline int upload(void *memory, const void *from, uint64_t bytes, tangram_error *error) {
  return withDevice(error, "copying to the device", [&](Current &c) {
    return bytes == 0 ? 0 : c.driver().cuMemcpyHtoD_v2(address(memory), from, static_cast<size_t>(bytes));
  });
}
inline int download(void *to, void *memory, uint64_t bytes, tangram_error *error) {
  return withDevice(error, "copying from the device", [&](Current &c) {
    return bytes == 0 ? 0 : c.driver().cuMemcpyDtoH_v2(to, address(memory), static_cast<size_t>(bytes));
  });
}

/// Waits for what runs on the stream, and reads a value that it left in the workspace.
template <size_t N, class T>
int fetch(char (&error)[N], const char *kernel, T *value, const void *workspace, uint64_t offset, void *stream) {
  tangram_error told{};
  int status = withDevice(&told, "reading a value from the device", [&](Current &c) {
    Result code = c.driver().cuStreamSynchronize(static_cast<Stream>(stream));
    return code != 0 ? code : c.driver().cuMemcpyDtoH_v2(value, address(workspace) + offset, sizeof(T));
  });
  if (status != TANGRAM_OK) std::snprintf(error, N, "%s: %s", kernel, told.message);
  return status;
}
inline int wait(tangram_error *error) {
  return withDevice(error, "running what was launched",
                    [](Current &c) { return c.driver().cuStreamSynchronize(nullptr); });
}
inline int time(int (*work)(void *), void *context, double *milliseconds, tangram_error *error) {
  int status = TANGRAM_OK;
  int timed = withDevice(error, "timing the device", [&](Current &c) {
    const Driver &driver = c.driver();
    Event begin = nullptr, end = nullptr;
    float elapsed = 0;
    Result code = driver.cuEventCreate(&begin, 0);
    if (code == 0) code = driver.cuEventCreate(&end, 0);
    if (code == 0) code = driver.cuEventRecord(begin, nullptr);
    if (code == 0) status = work(context);
    if (code == 0) code = driver.cuEventRecord(end, nullptr);
    if (code == 0) code = driver.cuEventSynchronize(end);
    if (code == 0) code = driver.cuEventElapsedTime(&elapsed, begin, end);
    if (begin != nullptr) driver.cuEventDestroy_v2(begin);
    if (end != nullptr) driver.cuEventDestroy_v2(end);
    *milliseconds = elapsed;
    return code;
  });
  if (timed == TANGRAM_OK && status != TANGRAM_OK) return reported(error, status, "what was to be timed failed");
  return timed;
}

inline constexpr tangram_device kDevice = {
    sizeof(tangram_device), open, describe, allocate, release, upload, download, wait, time};

} // namespace tangram_ptx
