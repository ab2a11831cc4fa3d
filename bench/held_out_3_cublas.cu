// The programs of apps/held-out-3 that are linear algebra, by cuBLAS and cuSOLVER: a library of its own, since these
// are not everywhere.
#include "gpu_cublas.h"
#include "gpu_cusolver.h"
#include "peer_device.cuh"

namespace {

using bench::blas, bench::solver, bench::succeed;
using namespace careful;

// ---- lu: by columns memory has the transpose, of which the ones are in the other factor: D, the diagonal, is taken
// out of what is below it and put into what is above.

__global__ void shiftKernel(double shift, double *a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[std::size_t(i) * n + i] += shift;
}

__global__ void __launch_bounds__(kLanes) diagonalKernel(const double *__restrict__ a, double *diagonal, unsigned n) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i < n) diagonal[i] = a[std::size_t(i) * n + i];
}

__global__ void __launch_bounds__(kLanes) scaleKernel(double *a, const double *__restrict__ diagonal, unsigned n) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y;
  if (j >= n || i == j) return;
  double &own = a[std::size_t(i) * n + j];
  own = j < i ? own / diagonal[j] : own * diagonal[i];
}

void lu(double shift, Out<double, 2> a) {
  const int n = int(a.size[0]);
  if (n == 0) return;
  static const int space = [&] {
    int result = 0;
    succeed(cusolverDnDgetrf_bufferSize(solver(), n, n, a.data, n, &result), "cusolverDnDgetrf");
    return result;
  }();
  static Buffer<double> workspace(space), diagonal(n);
  static Buffer<int> info(1);
  shiftKernel<<<pieces(n, kLanes), kLanes>>>(shift, a.data, unsigned(n));
  succeed(cusolverDnDgetrf(solver(), n, n, a.data, n, workspace.data(), nullptr, info.data()), "cusolverDnDgetrf");
  diagonalKernel<<<pieces(n, kLanes), kLanes>>>(a.data, diagonal.data(), unsigned(n));
  scaleKernel<<<dim3(pieces(n, kLanes), unsigned(n)), kLanes>>>(a.data, diagonal.data(), unsigned(n));
  check(cudaGetLastError(), "lu");
}

// ---- gramschmidt: by blocks of columns: these among themselves, their columns turned into rows, a kernel a column;
// and by two products what the others have in common with them

constexpr unsigned kBlock = 32;

/// Square tiles of `columns` columns are turned: rows of `to` are as long as there are rows.
__global__ void __launch_bounds__(kLanes)
    turnKernel(const double *__restrict__ from, double *__restrict__ to, unsigned m, unsigned n, unsigned columns) {
  __shared__ double tile[kBlock][kBlock + 1];
  const unsigned x = threadIdx.x % kBlock, y = threadIdx.x / kBlock, first = blockIdx.x * kBlock;
  for (unsigned r = y; r < kBlock; r += kLanes / kBlock)
    if (first + r < m && x < columns) tile[r][x] = from[std::size_t(first + r) * n + x];
  __syncthreads();
  for (unsigned k = y; k < columns; k += kLanes / kBlock)
    if (first + x < m) to[std::size_t(k) * m + first + x] = tile[x][k];
}

/// Back to columns: the numbers themselves, and these by the length of their column.
__global__ void __launch_bounds__(kLanes)
    backKernel(const double *__restrict__ left, const double *__restrict__ unit, double *__restrict__ a,
               double *__restrict__ q, unsigned m, unsigned n, unsigned columns) {
  __shared__ double ofA[kBlock][kBlock + 1], ofQ[kBlock][kBlock + 1];
  const unsigned x = threadIdx.x % kBlock, y = threadIdx.x / kBlock, first = blockIdx.x * kBlock;
  for (unsigned k = y; k < columns; k += kLanes / kBlock)
    if (first + x < m) {
      ofA[x][k] = left[std::size_t(k) * m + first + x];
      ofQ[x][k] = unit[std::size_t(k) * m + first + x];
    }
  __syncthreads();
  for (unsigned r = y; r < kBlock; r += kLanes / kBlock)
    if (first + r < m && x < columns) {
      a[std::size_t(first + r) * n + x] = ofA[r][x];
      q[std::size_t(first + r) * n + x] = ofQ[r][x];
    }
}

/// Column k, of those that are rows of `left`: its length (each group for itself), and what others, a group each, have
/// in common with it. The first group writes what is one column's.
__global__ void __launch_bounds__(kLanes)
    columnKernel(double *left, double *__restrict__ unit, double *__restrict__ r, unsigned m, unsigned n, unsigned k) {
  const double *own = left + std::size_t(k) * m;
  double squares = 0;
  for (unsigned i = threadIdx.x; i < m; i += kLanes) squares += own[i] * own[i];
  const double norm = std::sqrt(sumOfBlock(squares));
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) r[std::size_t(k) * n + k] = norm;
    for (unsigned i = threadIdx.x; i < m; i += kLanes) unit[std::size_t(k) * m + i] = own[i] / norm;
    return;
  }
  const unsigned j = k + blockIdx.x;
  double *other = left + std::size_t(j) * m, sum = 0;
  for (unsigned i = threadIdx.x; i < m; i += kLanes) sum += own[i] * other[i];
  const double along = sumOfBlock(sum) / norm, by = along / norm;
  if (threadIdx.x == 0) r[std::size_t(k) * n + j] = along;
  for (unsigned i = threadIdx.x; i < m; i += kLanes) other[i] -= by * own[i];
}

void gramschmidt(Out<double, 2> a, Out<double, 2> r, Out<double, 2> q) {
  const unsigned m = a.size[0], n = a.size[1];
  if (m == 0 || n == 0) return;
  static Buffer<double> left(std::size_t(kBlock) * m), unit(std::size_t(kBlock) * m);
  const double one = 1, zero = 0, minus = -1;
  for (unsigned first = 0; first < n; first += kBlock) {
    const unsigned size = std::min(kBlock, n - first), rest = n - first - size, tiles = pieces(m, kBlock);
    double *own = r.data + std::size_t(first) * n + first;
    turnKernel<<<tiles, kLanes>>>(a.data + first, left.data(), m, n, size);
    for (unsigned k = 0; k < size; ++k) columnKernel<<<size - k, kLanes>>>(left.data(), unit.data(), own, m, n, k);
    backKernel<<<tiles, kLanes>>>(left.data(), unit.data(), a.data + first, q.data + first, m, n, size);
    check(cudaGetLastError(), "gramschmidt");
    if (rest == 0) return;
    // By columns all are transposed: R' = A' Q, A' -= R' Q'.
    double *others = a.data + first + size;
    succeed(cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, int(rest), int(size), int(m), &one, others, int(n),
                        unit.data(), int(m), &zero, own + size, int(n)),
            "cublasDgemm");
    succeed(cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_T, int(rest), int(m), int(size), &minus, own + size, int(n),
                        unit.data(), int(m), &one, others, int(n)),
            "cublasDgemm");
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<lu> luPeer("lu", "cusolver", {"shift", "a"}, kDevice);
const Peer<gramschmidt> gramschmidtPeer("gramschmidt", "cublas", {"a", "r", "q"}, kDevice);

} // namespace

BENCH_PEERS(&luPeer.kernel, &gramschmidtPeer.kernel)
