// CUB as a peer, and copies as the roof.
#include "gpu_device.h"

#include <cub/cub.cuh>

namespace bench {
namespace {

/// CUB asks for its workspace in a first call.
template <class T, class F> Peer cub(std::string name, F call, std::shared_ptr<Buffer<T>> out) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "CUB");
  auto workspace = std::make_shared<Buffer<char>>(bytes);
  auto run = [=] {
    std::size_t size = bytes;
    check(call(workspace->data(), size), "CUB");
  };
  return peer(std::move(name), run, out);
}

template <class T> std::vector<Peer> sums(View<T> host) {
  auto in = std::make_shared<Buffer<T>>(host);
  auto out = std::make_shared<Buffer<T>>(1);
  std::size_t n = host.size;
  return {cub(
      "cub::DeviceReduce::Sum",
      [=](void *memory, std::size_t &bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, in->data(), out->data(), n);
      },
      out)};
}

} // namespace

std::vector<Peer> sumPeers(View<float> in) { return sums(in); }
std::vector<Peer> sumPeers(View<int> in) { return sums(in); }

std::vector<Peer> scanPeers(View<int> host, bool inclusive) {
  auto in = std::make_shared<Buffer<int>>(host);
  auto out = std::make_shared<Buffer<int>>(host.size);
  std::size_t n = host.size;
  if (inclusive)
    return {cub(
        "cub::DeviceScan::InclusiveSum",
        [=](void *memory, std::size_t &bytes) {
          return cub::DeviceScan::InclusiveSum(memory, bytes, in->data(), out->data(), n);
        },
        out)};
  return {cub(
      "cub::DeviceScan::ExclusiveSum",
      [=](void *memory, std::size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, in->data(), out->data(), n);
      },
      out)};
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
