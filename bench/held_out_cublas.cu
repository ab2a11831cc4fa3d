// The programs of apps/held-out that are products of matrices, by cuBLAS: a library of its own, since that is not
// everywhere.
#include "gpu_cublas.h"
#include "peer_kernel.h"

#include "tangram/cuda/device.h"

namespace {

using bench::blas, bench::Buffer, bench::check, bench::In, bench::Out, bench::succeed;

unsigned pieces(std::size_t n, unsigned each) { return unsigned((n + each - 1) / each); }

void launched(const char *what) { check(cudaGetLastError(), what); }

constexpr unsigned kSide = 32, kStep = 8;

/// For tiles of a symmetric matrix of which the lower half is there, row-major: c = beta c + lower, above the diagonal
/// with the transpose. `lower` may be c, of which then the upper half is written alone.
template <bool inPlace> __global__ void mirrorKernel(double beta, const double *lower, double *c, unsigned n) {
  if (blockIdx.x > blockIdx.y) return; // the tile above the diagonal is written with its mirror image
  __shared__ double tile[kSide][kSide + 1];
  const unsigned top = blockIdx.y * kSide, left = blockIdx.x * kSide, x = threadIdx.x;
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep) {
    const unsigned i = top + r, j = left + x;
    if (i >= n || j > i) continue;
    const std::size_t at = std::size_t(i) * n + j;
    tile[r][x] = lower[at];
    if (!inPlace) c[at] = (beta == 0 ? 0 : beta * c[at]) + tile[r][x];
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep) {
    const unsigned i = left + r, j = top + x; // above the diagonal
    if (j >= n || i >= j) continue;
    const std::size_t at = std::size_t(i) * n + j;
    c[at] = inPlace || beta == 0 ? tile[x][r] : beta * c[at] + tile[x][r];
  }
}

template <bool inPlace> void mirror(double beta, const double *lower, double *c, unsigned n) {
  mirrorKernel<inPlace><<<dim3(pieces(n, kSide), pieces(n, kSide)), dim3(kSide, kStep)>>>(beta, lower, c, n);
  launched("mirror");
}

/// The lower half of alpha a a' (or a' a, where `a` is turned), row-major: of columns, the upper half. a: rows of n
/// (turned: k) by k (n).
void lowerHalf(bool turned, double alpha, const double *a, double *c, int n, int k) {
  const double zero = 0;
  succeed(cublasDsyrk(blas(), CUBLAS_FILL_MODE_UPPER, turned ? CUBLAS_OP_N : CUBLAS_OP_T, n, k, &alpha, a,
                      turned ? n : k, &zero, c, n),
          "cublasDsyrk");
}

/// c = alpha a a' (or a' a) + beta c.
void whole(bool turned, double alpha, const double *a, double beta, double *c, int n, int k) {
  const int pitch = turned ? n : k;
  succeed(cublasDgemm(blas(), turned ? CUBLAS_OP_N : CUBLAS_OP_T, turned ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, k, &alpha,
                      a, pitch, a, pitch, &beta, c, n),
          "cublasDgemm");
}

/// Whether half of the product and its mirror image take less time than all of it: measured, once warm, before
/// anything else.
bool halfIsFaster(bool turned, const double *a, double *t, int n, int k) {
  double halves = 0, all = 0;
  for (int i = 0; i < 2; ++i) {
    halves = bench::seconds([&] {
      lowerHalf(turned, 1, a, t, n, k);
      mirror<true>(0, t, t, unsigned(n));
    });
    all = bench::seconds([&] { whole(turned, 1, a, 0, t, n, k); });
  }
  return halves < all;
}

void syrk(double alpha, double beta, In<double, 2> a, Out<double, 2> c) {
  const int n = int(c.size[0]), k = int(a.size[1]);
  static Buffer<double> t(std::size_t(n) * n);
  static const bool byHalf = halfIsFaster(false, a.data, t.data(), n, k);
  if (!byHalf) return whole(false, alpha, a.data, beta, c.data, n, k);
  lowerHalf(false, alpha, a.data, t.data(), n, k);
  mirror<false>(beta, t.data(), c.data, unsigned(n));
}

// ---- covariance: sums of columns by groups of rows; then everything minus the mean

constexpr unsigned kRows = 64, kColumns = 128;

__global__ void sumsKernel(const double *__restrict__ data, double *__restrict__ sums, unsigned n, unsigned m) {
  const unsigned j = blockIdx.x * kColumns + threadIdx.x, begin = blockIdx.y * kRows, end = min(begin + kRows, n);
  if (j >= m) return;
  double sum = 0;
#pragma unroll 8
  for (unsigned i = begin; i < end; ++i) sum += data[std::size_t(i) * m + j];
  atomicAdd(sums + j, sum);
}

__global__ void centerKernel(double *__restrict__ data, const double *__restrict__ sums, unsigned n, unsigned m) {
  const unsigned j = blockIdx.x * kColumns + threadIdx.x, begin = blockIdx.y * kRows, end = min(begin + kRows, n);
  if (j >= m) return;
  const double mean = sums[j] / n;
#pragma unroll 8
  for (unsigned i = begin; i < end; ++i) data[std::size_t(i) * m + j] -= mean;
}

void covariance(Out<double, 2> data, Out<double, 2> result) {
  const unsigned n = data.size[0], m = data.size[1];
  const dim3 groups(pieces(m, kColumns), pieces(n, kRows));
  static Buffer<double> sums(m), t(std::size_t(m) * m);
  static const bool byHalf = halfIsFaster(true, data.data, t.data(), int(m), int(n));
  check(cudaMemsetAsync(sums.data(), 0, m * sizeof(double)), "covariance");
  sumsKernel<<<groups, kColumns>>>(data.data, sums.data(), n, m);
  launched("covariance");
  centerKernel<<<groups, kColumns>>>(data.data, sums.data(), n, m);
  launched("covariance");
  const double share = 1 / (double(n) - 1);
  if (!byHalf) return whole(true, share, data.data, 0, result.data, int(m), int(n));
  lowerHalf(true, share, data.data, result.data, int(m), int(n));
  mirror<true>(0, result.data, result.data, m);
}

} // namespace

namespace {

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<syrk> syrkPeer("syrk", "cublas", {"alpha", "beta", "a", "c"}, kDevice);
const Peer<covariance> covariancePeer("covariance", "cublas", {"data", "result"}, kDevice);

} // namespace

BENCH_PEERS(&syrkPeer.kernel, &covariancePeer.kernel)
