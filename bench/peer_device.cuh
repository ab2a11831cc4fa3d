// What kernels that are written by hand for a GPU share. For nvcc.
#pragma once

#include "gpu_device.h"
#include "peer_kernel.h"

#include "tangram/cuda/device.h"

#include <memory>

namespace careful {

using bench::Buffer, bench::check, bench::In, bench::Out, bench::Result;
using Byte = unsigned char;

constexpr unsigned kAll = ~0u, kLanes = 256, kWarps = kLanes / 32;

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

__host__ __device__ inline unsigned pieces(std::size_t n, unsigned each) { return unsigned((n + each - 1) / each); }

inline void launched(const char *what) { check(cudaGetLastError(), what); }

/// How many multiprocessors the device has.
inline unsigned cores() {
  int device = 0, number = 0;
  check(cudaGetDevice(&device), "cores");
  check(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, device), "cores");
  return unsigned(number);
}

__device__ inline float4 &quad(float *at) { return *reinterpret_cast<float4 *>(at); }
__device__ inline const float4 &quad(const float *at) { return *reinterpret_cast<const float4 *>(at); }

template <class T> __device__ T sumOfWarp(T x) {
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) x += __shfl_xor_sync(kAll, x, s);
  return x;
}

/// Of all lanes of a group of kLanes, for each of them.
template <class T> __device__ T sumOfBlock(T x) {
  __shared__ T part[kWarps];
  x = sumOfWarp(x);
  __syncthreads(); // what was added up before has been read
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  T sum = 0;
#pragma unroll
  for (unsigned w = 0; w < kWarps; ++w) sum += part[w];
  return sum;
}

/// Memory that stays from call to call.
template <class T> class Scratch {
public:
  T *of(std::size_t n) {
    if (!buffer_ || buffer_->size() < n) buffer_ = std::make_unique<Buffer<T>>(n);
    return buffer_->data();
  }

private:
  std::unique_ptr<Buffer<T>> buffer_;
};

} // namespace careful
