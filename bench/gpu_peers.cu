#include "gpu_peers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <memory>

namespace bench {
namespace {

void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

template <class T> class Buffer {
public:
  explicit Buffer(std::size_t n) : n_(n) {
    check(cudaMalloc(&data_, std::max<std::size_t>(n, 1) * sizeof(T)), "cudaMalloc");
  }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) {
    check(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() const { return data_; }
  std::vector<double> read() const {
    std::vector<T> host(n_);
    check(cudaMemcpy(host.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return {host.begin(), host.end()};
  }

private:
  std::size_t n_;
  T *data_ = nullptr;
};

double seconds(const std::function<void()> &work) {
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

/// CUB asks for its workspace in a first call.
template <class F> Peer cub(std::string name, F call, std::function<std::vector<double>()> result) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "CUB");
  auto workspace = std::make_shared<Buffer<char>>(bytes);
  auto run = [=] {
    std::size_t size = bytes;
    check(call(workspace->data(), size), "CUB");
  };
  return {std::move(name), [run] { return seconds(run); }, std::move(result)};
}

template <class T> std::vector<Peer> sums(const std::vector<T> &host) {
  auto in = std::make_shared<Buffer<T>>(host);
  auto out = std::make_shared<Buffer<T>>(1);
  std::size_t n = host.size();
  return {cub(
      "cub::DeviceReduce::Sum",
      [=](void *memory, std::size_t &bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, in->data(), out->data(), n);
      },
      [=] { return out->read(); })};
}

} // namespace

std::vector<Peer> sumPeers(const std::vector<float> &in) { return sums(in); }
std::vector<Peer> sumPeers(const std::vector<int> &in) { return sums(in); }

std::vector<Peer> scanPeers(const std::vector<int> &host, bool inclusive) {
  auto in = std::make_shared<Buffer<int>>(host);
  auto out = std::make_shared<Buffer<int>>(host.size());
  std::size_t n = host.size();
  auto result = [=] { return out->read(); };
  if (inclusive)
    return {cub(
        "cub::DeviceScan::InclusiveSum",
        [=](void *memory, std::size_t &bytes) {
          return cub::DeviceScan::InclusiveSum(memory, bytes, in->data(), out->data(), n);
        },
        result)};
  return {cub(
      "cub::DeviceScan::ExclusiveSum",
      [=](void *memory, std::size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, in->data(), out->data(), n);
      },
      result)};
}

std::vector<Peer> gemvPeers(const std::vector<float> &hostA, std::size_t rows, std::size_t columns,
                            const std::vector<float> &hostX) {
  auto a = std::make_shared<Buffer<float>>(hostA);
  auto x = std::make_shared<Buffer<float>>(hostX);
  auto y = std::make_shared<Buffer<float>>(rows);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "error: cuBLAS does not start\n");
    std::exit(1);
  }
  auto run = [=] {
    // Row-major A is column-major A transposed.
    const float one = 1, zero = 0;
    if (cublasSgemv(handle, CUBLAS_OP_T, int(columns), int(rows), &one, a->data(), int(columns), x->data(), 1, &zero,
                    y->data(), 1) != CUBLAS_STATUS_SUCCESS) {
      std::fprintf(stderr, "error: cublasSgemv failed\n");
      std::exit(1);
    }
  };
  return {{"cublasSgemv", [run] { return seconds(run); }, [=] { return y->read(); }}};
}

double copyBandwidth() {
  constexpr std::size_t bytes = std::size_t(1) << 30;
  Buffer<char> from(bytes), to(bytes);
  std::vector<double> times;
  for (int i = 0; i < 12; ++i)
    times.push_back(
        seconds([&] { check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice), "a copy"); }));
  std::sort(times.begin() + 2, times.end());
  return 2.0 * bytes / times[7];
}

} // namespace bench
