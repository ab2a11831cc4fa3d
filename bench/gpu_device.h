// What the peers on a GPU share: memory there, and how long something takes there. For nvcc.
#pragma once

#include "gpu_peers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace bench {

inline void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// Of a library's call; 0 is success for each of them.
template <class Status> void succeed(Status status, const char *what) {
  if (status == Status(0)) return;
  std::fprintf(stderr, "error: %s failed with status %d\n", what, int(status));
  std::exit(1);
}

template <class T> class Buffer {
public:
  explicit Buffer(std::size_t n) : n_(n) {
    check(cudaMalloc(&data_, std::max<std::size_t>(n, 1) * sizeof(T)), "cudaMalloc");
  }
  explicit Buffer(View<T> host) : Buffer(host.size) {
    check(cudaMemcpy(data_, host.data, n_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() const { return data_; }
  std::size_t size() const { return n_; }
  std::vector<double> read() const {
    std::vector<T> host(n_);
    check(cudaMemcpy(host.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return {host.begin(), host.end()};
  }

private:
  std::size_t n_;
  T *data_ = nullptr;
};

/// Of one run, by events.
template <class F> double seconds(const F &work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin), "cudaEventRecord");
  work();
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaEventSynchronize(end), "a peer");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds * 1e-3;
}

/// A peer that leaves its result in `out`.
template <class T, class F> Peer peer(std::string name, F run, std::shared_ptr<Buffer<T>> out) {
  return {std::move(name), [run] { return seconds(run); }, [out] { return out->read(); }};
}

} // namespace bench
