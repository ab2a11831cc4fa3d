// The programs of apps/held-out-7 that are products of matrices, by cuBLAS: a library of its own, since that is not
// everywhere.
#include "gpu_cublas.h"
#include "peer_device.cuh"

#include <algorithm>
#include <cmath>

namespace {

using namespace careful;
using bench::blas, bench::succeed;

constexpr unsigned kSide = 32, kStep = 8;

/// Above the diagonal of a square matrix, `to` gets what is below it in `from`, which it may be; the rest is copied.
__global__ void mirrorKernel(const double *from, double *to, unsigned n) {
  if (blockIdx.x > blockIdx.y) return; // the tile above the diagonal is written with its mirror image
  __shared__ double tile[kSide][kSide + 1];
  const unsigned top = blockIdx.y * kSide, left = blockIdx.x * kSide, x = threadIdx.x;
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep) {
    const unsigned i = top + r, j = left + x;
    if (i >= n || j > i) continue;
    const double own = from[std::size_t(i) * n + j];
    tile[r][x] = own;
    if (from != to) to[std::size_t(i) * n + j] = own;
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep) {
    const unsigned i = left + r, j = top + x; // above the diagonal
    if (j < n && i < j) to[std::size_t(i) * n + j] = tile[x][r];
  }
}

void mirror(const double *from, double *to, unsigned n) {
  mirrorKernel<<<dim3(pieces(n, kSide), pieces(n, kSide)), dim3(kSide, kStep)>>>(from, to, n);
}

// ---- correlation: sums of columns by groups of rows, twice; then everything less the mean and scaled

constexpr unsigned kRows = 64, kColumns = 128;

/// Of what is in a column, or of the squares of what is more than its mean.
template <bool squares>
__global__ void sumsKernel(const double *__restrict__ data, const double *__restrict__ means, double *__restrict__ sums,
                           unsigned n, unsigned m) {
  const unsigned j = blockIdx.x * kColumns + threadIdx.x, begin = blockIdx.y * kRows, end = min(begin + kRows, n);
  if (j >= m) return;
  const double mean = squares ? means[j] / n : 0;
  double sum = 0;
#pragma unroll 8
  for (unsigned i = begin; i < end; ++i) {
    const double x = data[std::size_t(i) * m + j] - mean;
    sum += squares ? x * x : x;
  }
  atomicAdd(sums + j, sum);
}

__global__ void scaleKernel(double *__restrict__ data, const double *__restrict__ sums, unsigned n, unsigned m) {
  const unsigned j = blockIdx.x * kColumns + threadIdx.x, begin = blockIdx.y * kRows, end = min(begin + kRows, n);
  if (j >= m) return;
  const double mean = sums[j] / n, found = sqrt(sums[m + j] / n),
               by = 1 / (sqrt(double(n)) * (found <= 0.1 ? 1 : found));
#pragma unroll 8
  for (unsigned i = begin; i < end; ++i) {
    double &x = data[std::size_t(i) * m + j];
    x = (x - mean) * by;
  }
}

__global__ void onesKernel(double *a, unsigned n) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i < n) a[std::size_t(i) * n + i] = 1;
}

/// Products of all columns with each other: half of them and their mirror image, or all.
void products(bool half, const double *data, double *result, int n, int m) {
  const double one = 1, zero = 0;
  if (half) {
    succeed(cublasDsyrk(blas(), CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, m, n, &one, data, m, &zero, result, m),
            "cublasDsyrk");
    mirror(result, result, unsigned(m));
  } else {
    succeed(cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_T, m, m, n, &one, data, m, data, m, &zero, result, m),
            "cublasDgemm");
  }
}

void correlation(Out<double, 2> data, Out<double, 2> result) {
  const unsigned n = data.size[0], m = data.size[1];
  if (n == 0 || m == 0) return;
  // Measured, once warm, before anything else.
  static const bool half = [&] {
    double halves = 0, all = 0;
    for (int i = 0; i < 2; ++i) {
      halves = bench::seconds([&] { products(true, data.data, result.data, int(n), int(m)); });
      all = bench::seconds([&] { products(false, data.data, result.data, int(n), int(m)); });
    }
    return halves < all;
  }();
  static Scratch<double> scratch;
  double *sums = scratch.of(2 * std::size_t(m));
  const dim3 groups(pieces(m, kColumns), pieces(n, kRows));
  check(cudaMemsetAsync(sums, 0, 2 * std::size_t(m) * sizeof(double)), "correlation");
  sumsKernel<false><<<groups, kColumns>>>(data.data, nullptr, sums, n, m);
  sumsKernel<true><<<groups, kColumns>>>(data.data, sums, sums + m, n, m);
  scaleKernel<<<groups, kColumns>>>(data.data, sums, n, m);
  products(half, data.data, result.data, int(n), int(m));
  onesKernel<<<pieces(m, kLanes), kLanes>>>(result.data, m);
  launched("correlation");
}

// ---- symm: a whole matrix is faster to multiply by than a half

void symm(double alpha, double beta, In<double, 2> a, In<double, 2> b, Out<double, 2> c) {
  const int m = int(c.size[0]), n = int(c.size[1]);
  if (m == 0 || n == 0) return;
  static Scratch<double> scratch;
  double *whole = scratch.of(std::size_t(m) * m);
  mirror(a.data, whole, unsigned(m));
  // By columns all are transposed, and the symmetric one is what it is.
  succeed(cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, m, &alpha, b.data, n, whole, m, &beta, c.data, n),
          "cublasDgemm");
  launched("symm");
}

// ---- backprop: five products, and what is done to each number between them

/// C = alpha A B + beta C, by rows, with A or B transposed: m by n, of k products each.
void multiply(bool turnA, bool turnB, std::size_t m, std::size_t n, std::size_t k, float alpha, const float *a,
              const float *b, float beta, float *c) {
  succeed(cublasSgemm(blas(), turnB ? CUBLAS_OP_T : CUBLAS_OP_N, turnA ? CUBLAS_OP_T : CUBLAS_OP_N, int(n), int(m),
                      int(k), &alpha, b, int(turnB ? k : n), a, int(turnA ? m : k), &beta, c, int(n)),
          "cublasSgemm");
}

__device__ float sigmoid(float x) { return 1 / (1 + __expf(-x)); }

/// Of each number, in place.
template <class F> __global__ void __launch_bounds__(kLanes) eachKernel(std::size_t all, F of) {
  const std::size_t step = std::size_t(gridDim.x) * kLanes;
  for (std::size_t i = std::size_t(blockIdx.x) * kLanes + threadIdx.x; i < all; i += step) of(i);
}

struct Activate {
  float *h;
  __device__ void operator()(std::size_t i) const { h[i] = sigmoid(h[i]); }
};

struct Back {
  const float *h;
  float *delta;
  __device__ void operator()(std::size_t i) const { delta[i] *= h[i] * (1 - h[i]); }
};

__global__ void __launch_bounds__(kLanes)
    errorKernel(const float *__restrict__ target, float *__restrict__ o, std::size_t all, float *error) {
  const std::size_t step = std::size_t(gridDim.x) * kLanes;
  float sum = 0;
  for (std::size_t i = std::size_t(blockIdx.x) * kLanes + threadIdx.x; i < all; i += step) {
    const float x = sigmoid(o[i]), delta = x * (1 - x) * (target[i] - x);
    o[i] = delta;
    sum += fabsf(delta);
  }
  sum = sumOfBlock(sum);
  if (threadIdx.x == 0) atomicAdd(error, sum);
}

void backprop(float rate, In<float, 2> in, In<float, 2> target, Out<float, 2> w1, Out<float, 2> w2,
              Result<float> result) {
  const std::size_t batch = in.size[0], inputs = w1.size[0], hidden = w1.size[1], outputs = w2.size[1];
  check(cudaMemsetAsync(result.data, 0, sizeof(float)), "backprop");
  if (batch == 0 || inputs == 0 || hidden == 0 || outputs == 0) return;
  static Scratch<float> scratch;
  float *h = scratch.of(batch * (2 * hidden + outputs)), *delta = h + batch * hidden, *o = delta + batch * hidden;
  const auto groups = [](std::size_t all) { return std::min(pieces(all, kLanes), cores() * 8); };
  multiply(false, false, batch, hidden, inputs, 1, in.data, w1.data, 0, h);
  eachKernel<<<groups(batch * hidden), kLanes>>>(batch * hidden, Activate{h});
  multiply(false, false, batch, outputs, hidden, 1, h, w2.data, 0, o);
  errorKernel<<<groups(batch * outputs), kLanes>>>(target.data, o, batch * outputs, result.data);
  multiply(false, true, batch, hidden, outputs, 1, o, w2.data, 0, delta);
  eachKernel<<<groups(batch * hidden), kLanes>>>(batch * hidden, Back{h, delta});
  multiply(true, false, hidden, outputs, batch, rate, h, o, 1, w2.data);
  multiply(true, false, inputs, hidden, batch, rate, in.data, delta, 1, w1.data);
  launched("backprop");
}

const Peer<correlation> correlationPeer("correlation", "cublas", {"data", "result"}, kDevice);
const Peer<symm> symmPeer("symm", "cublas", {"alpha", "beta", "a", "b", "c"}, kDevice);
const Peer<backprop> backpropPeer("backprop", "cublas", {"rate", "in", "target", "w1", "w2", "result"}, kDevice);

} // namespace

BENCH_PEERS(&correlationPeer.kernel, &symmPeer.kernel, &backpropPeer.kernel)
