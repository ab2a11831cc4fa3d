// Rodinia's algorithms as peers: a thread a point, a thread a vertex.
#include "gpu_device.h"
#include "gpu_rodinia.h"

namespace bench {
namespace {

constexpr unsigned kPointThreads = 256, kVertexThreads = 512; // of a block
constexpr std::size_t kMostCenters = 12 * 1024;               // numbers, of 64 KiB of constant memory
__constant__ float constantCenters[kMostCenters];

unsigned blocks(std::size_t n, unsigned threads) { return unsigned((n + threads - 1) / threads); }

__global__ void membershipKernel(const float *features, std::size_t points, std::size_t many, int centers,
                                 int *membership) {
  std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < points) membership[i] = rodinia::nearest(i, points, features, many, constantCenters, centers);
}

__global__ void startKernel(std::size_t n, std::size_t source, rodinia::Marks marks) {
  std::size_t v = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (v < n) rodinia::start(v, source, marks);
}

__global__ void expandKernel(std::size_t n, const unsigned *row, const unsigned *column, rodinia::Marks marks) {
  std::size_t v = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (v < n) rodinia::expand(v, row, column, marks);
}

__global__ void advanceKernel(std::size_t n, rodinia::Marks marks, char *again) {
  std::size_t v = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (v < n) rodinia::advance(v, marks, again);
}

} // namespace

/// Points are transposed once, before anything is timed; the centers, which change in each iteration, each time anew.
std::vector<Peer> membershipPeers(View<float> points, View<float> centers, std::size_t many) {
  if (centers.size > kMostCenters || points.size == 0) return {};
  std::size_t n = points.size / many;
  std::vector<float> byFeature(points.size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < many; ++f) byFeature[f * n + i] = points.data[i * many + f];
  auto features = std::make_shared<Buffer<float>>(View<float>{byFeature.data(), byFeature.size()});
  auto source = std::make_shared<Buffer<float>>(centers);
  auto membership = std::make_shared<Buffer<int>>(n);
  auto run = [=] {
    check(cudaMemcpyToSymbolAsync(constantCenters, source->data(), source->size() * sizeof(float), 0,
                                  cudaMemcpyDeviceToDevice),
          "the centers");
    membershipKernel<<<blocks(n, kPointThreads), kPointThreads>>>(features->data(), n, many, int(source->size() / many),
                                                                  membership->data());
    check(cudaGetLastError(), "membership");
  };
  return {peer("rodinia", run, membership)};
}

/// A level is two kernels; the host starts the next one as long as the second has found a frontier.
std::vector<Peer> bfsPeers(View<unsigned> hostRow, View<unsigned> hostColumn, std::size_t source) {
  std::size_t n = hostRow.size - 1;
  if (n == 0) return {};
  auto row = std::make_shared<Buffer<unsigned>>(hostRow), column = std::make_shared<Buffer<unsigned>>(hostColumn);
  auto depths = std::make_shared<Buffer<int>>(n);
  auto marks = std::make_shared<Buffer<char>>(3 * n), again = std::make_shared<Buffer<char>>(1);
  auto run = [=] {
    rodinia::Marks m{depths->data(), marks->data(), marks->data() + n, marks->data() + 2 * n};
    unsigned grid = blocks(n, kVertexThreads);
    startKernel<<<grid, kVertexThreads>>>(n, source, m);
    for (char more = 1; more;) {
      check(cudaMemsetAsync(again->data(), 0, 1), "the flag");
      expandKernel<<<grid, kVertexThreads>>>(n, row->data(), column->data(), m);
      advanceKernel<<<grid, kVertexThreads>>>(n, m, again->data());
      check(cudaGetLastError(), "bfs");
      check(cudaMemcpy(&more, again->data(), 1, cudaMemcpyDeviceToHost), "the flag");
    }
  };
  return {peer("rodinia", run, depths)};
}

} // namespace bench
