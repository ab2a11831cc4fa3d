// The programs of apps/family as one would write them for a GPU; sorting by CUB.
#include "gpu_device.h"
#include "peer_kernel.h"
#include "stencil7.cuh"

#include "tangram/cuda/device.h"

#include <cub/cub.cuh>

namespace {

using bench::check, bench::In, bench::Out, bench::Result;

unsigned pieces(std::size_t n, unsigned each) { return unsigned((n + each - 1) / each); }

void launched(const char *what) { check(cudaGetLastError(), what); }

// ---- HiDP

void stencil7(float center, float beside, In<float, 3> in, Out<float, 3> out) {
  careful::stencil7(center, beside, in, out);
}

/// Elements of all containers lie at the same place: one lane has one of a row, and goes through planes.
struct Himeno {
  const float *a0, *a1, *a2, *a3, *b0, *b1, *b2, *c0, *c1, *c2, *p, *wrk1, *bnd;
  float omega, *wrk2, *gosa;
  unsigned n0, n1, n2;
};

constexpr unsigned kLanes = 128, kRows = 2, kPlanes = 8;

__global__ void himenoKernel(const Himeno h) {
  const unsigned k = 1 + blockIdx.x * kLanes + threadIdx.x, j = 1 + blockIdx.y * kRows + threadIdx.y;
  const unsigned begin = 1 + blockIdx.z * kPlanes, end = min(begin + kPlanes, h.n0 - 1);
  const std::size_t row = h.n2, plane = std::size_t(h.n1) * h.n2;
  float sum = 0;
  if (k < h.n2 - 1 && j < h.n1 - 1)
    for (unsigned i = begin; i < end; ++i) {
      const std::size_t x = i * plane + j * row + k;
      const float *p = h.p + x;
      const float s0 = h.a0[x] * p[plane] + h.a1[x] * p[row] + h.a2[x] * p[1] +
                       h.b0[x] * (p[plane + row] - p[plane - row] - *(p - plane + row) + *(p - plane - row)) +
                       h.b1[x] * (p[row + 1] - p[row - 1] - *(p - row + 1) + *(p - row - 1)) +
                       h.b2[x] * (p[plane + 1] - p[plane - 1] - *(p - plane + 1) + *(p - plane - 1)) +
                       h.c0[x] * *(p - plane) + h.c1[x] * *(p - row) + h.c2[x] * *(p - 1) + h.wrk1[x];
      const float ss = (s0 * h.a3[x] - *p) * h.bnd[x];
      h.wrk2[x] = *p + h.omega * ss;
      sum += ss * ss;
    }
  using Reduce = cub::BlockReduce<float, kLanes, cub::BLOCK_REDUCE_WARP_REDUCTIONS, kRows>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(h.gosa, sum);
}

using Cube = In<float, 3>;

void himeno(Cube a0, Cube a1, Cube a2, Cube a3, Cube b0, Cube b1, Cube b2, Cube c0, Cube c1, Cube c2, Cube p, Cube wrk1,
            Cube bnd, float omega, Out<float, 3> wrk2, Result<float> gosa) {
  check(cudaMemsetAsync(gosa.data, 0, sizeof(float)), "himeno");
  const unsigned n0 = p.size[0], n1 = p.size[1], n2 = p.size[2];
  if (n0 < 3 || n1 < 3 || n2 < 3) return;
  const Himeno h{a0.data, a1.data,   a2.data,  a3.data, b0.data,   b1.data,   b2.data, c0.data, c1.data, c2.data,
                 p.data,  wrk1.data, bnd.data, omega,   wrk2.data, gosa.data, n0,      n1,      n2};
  himenoKernel<<<dim3(pieces(n2 - 2, kLanes), pieces(n1 - 2, kRows), pieces(n0 - 2, kPlanes)), dim3(kLanes, kRows)>>>(
      h);
  launched("himeno");
}

/// `lanes` lanes for each of `count` segments: what they have of it is added up by shuffles.
template <unsigned lanes, class F>
__global__ void segmentsKernel(const int *__restrict__ row, unsigned count, float *__restrict__ out, F term) {
  const unsigned segment = (blockIdx.x * blockDim.x + threadIdx.x) / lanes, lane = threadIdx.x % lanes;
  float sum = 0;
  if (segment < count)
    for (int e = row[segment] + int(lane), end = row[segment + 1]; e < end; e += lanes) sum += term(e);
#pragma unroll
  for (unsigned apart = lanes / 2; apart; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart, lanes);
  if (segment < count && lane == 0) out[segment] = sum;
}

/// As many lanes as a segment has elements in the mean.
template <class F> void bySegments(In<int, 1> row, std::size_t elements, Out<float, 1> out, F term) {
  constexpr unsigned kThreads = 256;
  const unsigned count = out.size[0];
  if (count == 0) return;
  auto run = [&](auto kernel, unsigned lanes) {
    kernel<<<pieces(std::size_t(count) * lanes, kThreads), kThreads>>>(row.data, count, out.data, term);
  };
  const std::size_t mean = elements / count;
  mean <= 4 ? run(segmentsKernel<4, F>, 4) : mean <= 16 ? run(segmentsKernel<8, F>, 8) : run(segmentsKernel<32, F>, 32);
  launched("segments");
}

struct Product {
  const int *__restrict__ column;
  const float *__restrict__ value, *__restrict__ x;
  __device__ float operator()(int e) const { return value[e] * x[column[e]]; }
};
struct Element {
  const float *__restrict__ in;
  __device__ float operator()(int e) const { return in[e]; }
};

void spmv(In<int, 1> row, In<int, 1> column, In<float, 1> value, In<float, 1> x, Out<float, 1> y) {
  bySegments(row, value.size[0], y, Product{column.data, value.data, x.data});
}

void sumsOfSegments(In<float, 1> in, In<int, 1> row, Out<float, 1> sums) {
  bySegments(row, in.size[0], sums, Element{in.data});
}

/// CUB asks for its workspace in a first call; it is kept between calls.
void sorted(In<unsigned, 1> in, Out<unsigned, 1> out) {
  static std::size_t had = 0;
  static char *workspace = nullptr;
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data, out.data, in.size[0]), "sort");
  if (bytes > had) {
    check(cudaFree(workspace), "sort");
    check(cudaMalloc(&workspace, bytes), "sort");
    had = bytes;
  }
  check(cub::DeviceRadixSort::SortKeys(workspace, bytes, in.data, out.data, in.size[0]), "sort");
}

// ---- TileK

__global__ void conv2dKernel(unsigned n, unsigned m, const float *__restrict__ A, float *__restrict__ B) {
  const unsigned j = 1 + blockIdx.x * blockDim.x + threadIdx.x, i = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n - 1 || j >= m - 1) return;
  const std::size_t place = std::size_t(i) * m + j;
  const float *at = A + place, *above = at - m, *below = at + m;
  B[place] = float(2.34 * *(above - 1) + (4.64 - 2.17) * above[1] - 7.93 * above[0] + 1.26 * *(at - 1) +
                   0.64 * below[0] + 1.34 * at[1] + 7.22 * *(below - 1) - 9.59 * at[0]);
}

void conv2d(int n, int m, In<float, 2> A, Out<float, 2> B) {
  if (n < 3 || m < 3) return;
  conv2dKernel<<<dim3(pieces(m - 2, 64), pieces(n - 2, 4)), dim3(64, 4)>>>(n, m, A.data, B.data);
  launched("conv2d");
}

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<stencil7> stencilPeer("stencil7", "cuda", {"_center", "_beside", "in", "out"}, kDevice);
const Peer<himeno> himenoPeer("himeno", "cuda",
                              {"a0", "a1", "a2", "a3", "b0", "b1", "b2", "c0", "c1", "c2", "p", "wrk1", "bnd", "_omega",
                               "wrk2", "result"},
                              kDevice);
const Peer<spmv> spmvPeer("spmv", "cuda", {"row", "column", "value", "x", "y"}, kDevice);
const Peer<sumsOfSegments> segmentsPeer("sums_of_segments", "cuda", {"in", "row", "sums"}, kDevice);
const Peer<sorted> sortPeer("quicksort", "cub", {"in", "out"}, kDevice);
const Peer<conv2d> convPeer("conv2d", "cuda", {"n", "m", "A", "B"}, kDevice);

} // namespace

BENCH_PEERS(&stencilPeer.kernel, &himenoPeer.kernel, &spmvPeer.kernel, &segmentsPeer.kernel, &sortPeer.kernel,
            &convPeer.kernel)
