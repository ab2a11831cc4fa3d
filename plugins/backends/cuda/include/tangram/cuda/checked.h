// For generated code that was compiled checked: whether an access is in range, asked on the device or by the host, and
// what the device's record says. C++17.
#pragma once

#include <cuda_runtime_api.h>
#include <tangram/cuda/device.h>
#include <tangram/runtime/report.h>

namespace tangram_checked {

/// Keeps the first error.
[[maybe_unused]] __host__ __device__ inline bool in_range([[maybe_unused]] uint32_t *record,
                                                          [[maybe_unused]] uint64_t index,
                                                          [[maybe_unused]] uint64_t bound,
                                                          [[maybe_unused]] uint32_t site) {
#if TANGRAM_CHECKED
  if (index < bound) return true;
#ifdef __CUDA_ARCH__
  bool first = atomicCAS(record + kSite, 0u, site) == 0u;
#else
  bool first = record[kSite] == 0; // a call's own, of one thread
  if (first) record[kSite] = site;
#endif
  if (first) {
    record[kIndexLow] = static_cast<uint32_t>(index);
    record[kIndexHigh] = static_cast<uint32_t>(index >> 32);
    record[kBoundLow] = static_cast<uint32_t>(bound);
    record[kBoundHigh] = static_cast<uint32_t>(bound >> 32);
  }
  return false;
#else
  return true;
#endif
}

/// Whether there is an error: loops that may wait for what was not read end then.
[[maybe_unused]] __host__ __device__ inline bool faulted([[maybe_unused]] const uint32_t *record) {
#if TANGRAM_CHECKED
  return *static_cast<const volatile uint32_t *>(record) != 0u;
#else
  return false;
#endif
}

} // namespace tangram_checked

namespace tangram_cuda {

/// Waits for what the stream has, and reads the record that begins `offset` bytes into the workspace.
template <size_t N>
int report(char (&message)[N], const char *kernel, cudaStream_t stream, const void *workspace, size_t offset,
           const char *const *sites) {
  uint32_t record[tangram_checked::kWords] = {};
  int status = fetch(message, kernel, &record, workspace, offset, stream);
  return status == TANGRAM_OK ? tangram_checked::report(message, record, sites) : status;
}

} // namespace tangram_cuda
