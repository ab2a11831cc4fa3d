// Numbers of a CUDA device that the heuristic `model` asks of a target, measured, as YAML: waiting times, bandwidths,
// latencies, operations that a multiprocessor starts in a cycle. Each is the median of several runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t status = (call);                                                                                       \
    if (status != cudaSuccess) {                                                                                       \
      std::fprintf(stderr, "error: %s: %s\n", #call, cudaGetErrorString(status));                                      \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

constexpr int kRuns = 9;

/// Median seconds of what `work` puts into the stream.
double seconds(const std::function<void()> &work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> all;
  for (int run = -2; run < kRuns; ++run) {
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run >= 0) all.push_back(ms * 1e-3);
  }
  CHECK(cudaGetLastError());
  std::nth_element(all.begin(), all.begin() + kRuns / 2, all.end());
  return all[kRuns / 2];
}

__global__ void nothing() {}

__global__ void barriers(int n) {
  for (int i = 0; i < n; ++i) __syncthreads();
}

// Past the first cache, of which each multiprocessor has its own.
__global__ void read(const float4 *in, std::size_t n, int times, float *out) {
  float sum = 0;
  for (int turn = 0; turn < times; ++turn)
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * std::size_t(blockDim.x)) {
      float4 v = __ldcg(in + i);
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 12345.678f) *out = sum;
}

// What each group keeps in it; lanes `apart` elements from one another.
__global__ void near(const float *in, int n, int apart, int times, float *out) {
  float sum = 0;
  for (int turn = 0; turn < times; ++turn)
#pragma unroll 8
    for (int i = 0; i < n; i += 32) sum += __ldca(in + ((threadIdx.x * apart + i + turn) & (n - 1)));
  if (sum == 12345.678f) *out = sum;
}

__global__ void change(unsigned *at, unsigned apart, int times) {
  for (int turn = 0; turn < times; ++turn)
    atomicAdd(at + (blockIdx.x * blockDim.x + threadIdx.x + turn * 4099u) * apart % (1u << 20), 1u);
}
// From where the last walk ended: what it has read may be in a cache, what follows is not.
__global__ void chase(const std::uint32_t *next, int n, std::uint32_t *at) {
  std::uint32_t here = *at;
  for (int i = 0; i < n; ++i) here = next[here];
  *at = here;
}

// Sixteen chains of dependent operations a thread: as many as it takes to keep the units busy.
constexpr int kChains = 16, kSteps = 512;
template <class T, class F> __device__ void steps(T *out, T start, F f) {
  T x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = start + T(threadIdx.x + c);
  for (int i = 0; i < kSteps; ++i)
#pragma unroll
    for (int c = 0; c < kChains; ++c) x[c] = f(x[c]);
  T sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  if (sum == T(-1)) *out = sum;
}
__global__ void single(float *out, float a, float b) {
  steps<float>(out, a, [=](float x) { return x * a + b; });
}
__global__ void doubles(double *out, double a, double b) {
  steps<double>(out, a, [=](double x) { return x * a + b; });
}
__global__ void integers(int *out, int a, int b) {
  steps<int>(out, a, [=](int x) { return (x ^ a) + b; });
}
__global__ void divisions(float *out, float a) {
  steps<float>(out, a, [=](float x) { return a / x; });
}
__global__ void functions(float *out, float a) {
  steps<float>(out, a, [=](float x) { return expf(x) * a; });
}
__global__ void dependent(float *out, float a, float b, int n) {
  float x = a;
  for (int i = 0; i < n; ++i) x = x * a + b;
  if (x == -1) *out = x;
}

/// Seconds of one step of a walk from element to element, in an order that no prefetcher knows.
double latency(std::size_t bytes) {
  const std::size_t n = bytes / 128;
  std::vector<std::uint32_t> next(n * 32), order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::uint64_t random = 88172645463325252u;
  for (std::size_t i = n; i-- > 1;) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    std::swap(order[i], order[random % (i + 1)]);
  }
  for (std::size_t i = 0; i < n; ++i) next[order[i] * 32] = order[(i + 1) % n] * 32;
  std::uint32_t *there = nullptr;
  CHECK(cudaMalloc(&there, next.size() * 4 + 4));
  CHECK(cudaMemcpy(there, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(there + next.size(), 0, 4));
  constexpr int kWalk = 20000;
  double all = seconds([&] { chase<<<1, 1>>>(there, kWalk, there + next.size()); });
  CHECK(cudaFree(there));
  return all / kWalk;
}

} // namespace

int main() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  int clockKiloHertz = 0;
  CHECK(cudaDeviceGetAttribute(&clockKiloHertz, cudaDevAttrClockRate, 0));
  const double clock = clockKiloHertz * 1e3, cores = device.multiProcessorCount;

  constexpr int kLaunches = 1000, kBarriers = 10000;
  const double launch = seconds([] {
                          for (int i = 0; i < kLaunches; ++i) nothing<<<1, 32>>>();
                        }) /
                        kLaunches;
  const double barrier = seconds([] { barriers<<<1, 256>>>(kBarriers); }) / kBarriers;

  const std::size_t large = std::size_t{2} << 30, small = static_cast<std::size_t>(device.l2CacheSize) / 3;
  char *memory = nullptr;
  CHECK(cudaMalloc(&memory, large));
  CHECK(cudaMemset(memory, 0, large));
  auto bandwidth = [&](std::size_t bytes, int times) {
    return bytes * double(times) / seconds([&] {
             read<<<device.multiProcessorCount * 4, 512>>>(reinterpret_cast<float4 *>(memory), bytes / 16, times,
                                                           reinterpret_cast<float *>(memory));
           });
  };
  const double global = bandwidth(large, 1), l2 = bandwidth(small, 50);
  const double globalLatency = latency(std::size_t{1} << 29), l2Latency = latency(std::size_t{4} << 20);

  const int groups = device.multiProcessorCount * 2, threads = 1024;
  auto rate = [&](const std::function<void()> &work, double operations) { // a core, a cycle
    return operations * kChains * kSteps * groups * threads / seconds(work) / cores / clock;
  };
  auto *f = reinterpret_cast<float *>(memory);
  const double issue = rate([&] { single<<<groups, threads>>>(f, 0.5f, 1.f); }, 1);
  const double whole = rate([&] { integers<<<groups, threads>>>(reinterpret_cast<int *>(memory), 3, 1); }, 2);
  const double twice = rate([&] { doubles<<<groups, threads>>>(reinterpret_cast<double *>(memory), 0.5, 1.); }, 1);
  const double division = rate([&] { divisions<<<groups, threads>>>(f, 1.5f); }, 1);
  const double function = rate([&] { functions<<<groups, threads>>>(f, 0.5f); }, 1);
  const double alone =
      2.0 * kChains * kSteps / seconds([&] { integers<<<1, 32>>>(reinterpret_cast<int *>(memory), 3, 1); }) / clock;
  auto nearRate = [&](int apart) { // accesses of a core in a cycle
    return 64.0 * 8192 / 32 * groups * threads / seconds([&] { near<<<groups, threads>>>(f, 8192, apart, 64, f); }) /
           cores / clock;
  };
  constexpr double kSector = 32; // bytes that an access to a line of its own moves
  const double access = nearRate(1), nearBandwidth = nearRate(33) * kSector * cores * clock;
  auto *u = reinterpret_cast<unsigned *>(memory);
  auto changes = [&](unsigned apart) {
    return 100.0 * groups * threads / seconds([&] { change<<<groups, threads>>>(u, apart, 100); });
  };
  constexpr int kDependent = 100000;
  const double depth = seconds([&] { dependent<<<1, 32>>>(f, 0.5f, 1.f, kDependent); }) / kDependent * clock;

  std::printf(
      "# %s, measured. Atomic operations a second: %.2e on one element, %.2e on neighbours, %.2e a line apart.\n"
      "extends: cuda\nsummary: %s\n\nlevels:\n  - name: grid\n    wait: %.2e # a launch\n"
      "    memory:\n      - {name: global, bytes: %zu, bandwidth: %.2e, latency: %.0f}\n"
      "      - {name: l2, bytes: %d, line: 128, bandwidth: %.2e, latency: %.0f}\n  - name: block\n"
      "    wait: %.1e # a barrier of 256 threads\n"
      "    cores: {count: %d, clock: %.3e, issue: %.0f, issue-double: %.0f, issue-division: %.1f,\n"
      "            issue-function: %.1f, issue-access: %.1f, issue-alone: %.2f, depth: %.1f, units: %d, workers: %d, registers: %d}"
      " # integers: %.0f\n"
      "    memory:\n      - {name: l1, bandwidth: %.2e}\n",
      device.name, changes(0), changes(1), changes(32), device.name, launch, device.totalGlobalMem, global,
      globalLatency * clock, device.l2CacheSize, l2, l2Latency * clock, barrier, device.multiProcessorCount, clock,
      issue, twice, division, function, access, alone, depth, device.maxBlocksPerMultiProcessor,
      device.maxThreadsPerMultiProcessor, device.regsPerMultiprocessor, whole, nearBandwidth);
  CHECK(cudaFree(memory));
}
