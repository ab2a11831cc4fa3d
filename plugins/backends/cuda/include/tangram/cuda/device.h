// For generated code: the CUDA device, and the functions of kernel_abi.h for it. Host code, C++17.
#pragma once

#include <cuda_runtime_api.h>
#include <tangram/runtime/kernel_abi.h>

#include <cstdio>
#include <cstring>

namespace tangram_cuda {

inline int statusOf(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? TANGRAM_OUT_OF_MEMORY : TANGRAM_FAILED;
}

inline int fail(tangram_error *error, const char *what, cudaError_t code) {
  if (error != nullptr) {
    error->status = statusOf(code);
    std::snprintf(error->message, sizeof error->message, "CUDA: %s: %s (%s)", what, cudaGetErrorString(code),
                  cudaGetErrorName(code));
  }
  return statusOf(code);
}

inline int done(tangram_error *error, const char *what, cudaError_t code) {
  return code == cudaSuccess ? TANGRAM_OK : fail(error, what, code);
}

/// One launch in a kernel, for messages.
struct Launch {
  const char *kernel; // the entry
  const char *function;
  const char *plan;
  const char *built; // the architectures, as 900 for sm_90
};

template <size_t N> int refuse(char (&error)[N], const Launch &what, int status, const char *why) {
  std::snprintf(error, N, "%s: launch %s: %s; the plan is %s", what.kernel, what.function, why, what.plan);
  return status;
}

/// Whether so many groups can be launched.
template <size_t N> int fits(char (&error)[N], const Launch &what, uint64_t groups) {
  constexpr uint64_t most = 2147483647; // of every device since compute capability 3.0
  if (groups <= most) return TANGRAM_OK;
  char why[128];
  std::snprintf(why, sizeof why, "it has %llu groups, at most %llu are possible",
                static_cast<unsigned long long>(groups), static_cast<unsigned long long>(most));
  return refuse(error, what, TANGRAM_FAILED, why);
}

/// Whether groups can have so many bytes of memory each.
template <size_t N, class F> int reserve(char (&error)[N], const Launch &what, F *function, size_t bytes) {
  cudaError_t code = cudaFuncSetAttribute(reinterpret_cast<const void *>(function),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (code == cudaSuccess) return TANGRAM_OK;
  cudaGetLastError(); // it is told here
  int device = 0, most = 0;
  char why[256];
  if (code == cudaErrorInvalidValue && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess)
    std::snprintf(why, sizeof why, "a group needs %zu bytes of scratchpad memory, this device gives it %d", bytes,
                  most);
  else
    std::snprintf(why, sizeof why, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
  return refuse(error, what, statusOf(code), why);
}

/// Behind a launch: whether it started.
template <size_t N> int launched(char (&error)[N], const Launch &what) {
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) return TANGRAM_OK;
  char why[384];
  bool otherDevice = code == cudaErrorNoKernelImageForDevice || code == cudaErrorUnsupportedPtxVersion ||
                     code == cudaErrorInvalidDeviceFunction;
  int device = 0, major = 0, minor = 0;
  if (otherDevice && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess)
    std::snprintf(why, sizeof why,
                  "it was built for compute capability %s (in tenths of tenths: 900 is sm_90), and this device is "
                  "sm_%d%d; set the option 'arch' of the backend in the target file",
                  what.built, major, minor);
  else
    std::snprintf(why, sizeof why, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
  return refuse(error, what, statusOf(code), why);
}

/// Waits for what runs on the stream, and reads a value that it left in the workspace.
template <size_t N, class T>
int fetch(char (&error)[N], const char *kernel, T *value, const void *workspace, uint64_t offset, cudaStream_t stream) {
  cudaError_t code =
      cudaMemcpyAsync(value, static_cast<const char *>(workspace) + offset, sizeof(T), cudaMemcpyDeviceToHost, stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
  if (code == cudaSuccess) return TANGRAM_OK;
  std::snprintf(error, N, "%s: reading a value from the device: %s (%s)", kernel, cudaGetErrorString(code),
                cudaGetErrorName(code));
  return statusOf(code);
}

/// tangram_device for the current device of the thread. Handles are addresses.
struct Device {
  static int open(tangram_error *error) {
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorInsufficientDriver)
      return fail(error, "the driver is missing, or older than the CUDA version that this was built with", code);
    if (code != cudaSuccess || count == 0)
      return fail(error, "there is no CUDA device", code == cudaSuccess ? cudaErrorNoDevice : code);
    return done(error, "making the device ready", cudaFree(nullptr));
  }
  static int describe(char *out, size_t size, tangram_error *error) {
    int device = 0;
    cudaDeviceProp properties;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, device);
    if (code != cudaSuccess) return fail(error, "asking for the device's name", code);
    if (size > 0) std::snprintf(out, size, "%s, sm_%d%d", properties.name, properties.major, properties.minor);
    return TANGRAM_OK;
  }
  static int allocate(void **memory, uint64_t bytes, tangram_error *error) {
    return done(error, "allocating memory", cudaMalloc(memory, bytes));
  }
  static void release(void *memory) { cudaFree(memory); }
  static int upload(void *memory, const void *from, uint64_t bytes, tangram_error *error) {
    return done(error, "copying to the device", cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
  }
  static int download(void *to, void *memory, uint64_t bytes, tangram_error *error) {
    return done(error, "copying from the device", cudaMemcpy(to, memory, bytes, cudaMemcpyDeviceToHost));
  }
  static int wait(tangram_error *error) { return done(error, "a kernel failed", cudaStreamSynchronize(nullptr)); }
  static int time(int (*work)(void *context), void *context, double *milliseconds, tangram_error *error) {
    cudaEvent_t before = nullptr, after = nullptr;
    cudaError_t code = cudaEventCreate(&before);
    if (code == cudaSuccess) code = cudaEventCreate(&after);
    if (code == cudaSuccess) code = cudaEventRecord(before, nullptr);
    int status = code == cudaSuccess ? work(context) : TANGRAM_OK;
    if (code == cudaSuccess) code = cudaEventRecord(after, nullptr);
    if (code == cudaSuccess) code = cudaEventSynchronize(after);
    float elapsed = 0;
    if (code == cudaSuccess) code = cudaEventElapsedTime(&elapsed, before, after);
    if (before != nullptr) cudaEventDestroy(before);
    if (after != nullptr) cudaEventDestroy(after);
    *milliseconds = static_cast<double>(elapsed);
    return status != TANGRAM_OK ? status : done(error, "timing a kernel", code);
  }

  static constexpr tangram_device abi = {
      sizeof(tangram_device), open, describe, allocate, release, upload, download, wait, time};
};

} // namespace tangram_cuda
