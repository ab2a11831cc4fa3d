// The programs of apps/held-out-2 that are linear algebra, by cuBLAS and cuSOLVER: a library of its own, since these
// are not everywhere.
#include "gpu_cublas.h"
#include "gpu_cusolver.h"
#include "peer_kernel.h"

#include "tangram/cuda/device.h"

namespace {

using bench::blas, bench::Buffer, bench::check, bench::In, bench::Out, bench::solver, bench::succeed;

void trmm(double alpha, In<double, 2> a, Out<double, 2> b) {
  const int m = int(b.size[0]), n = int(b.size[1]);
  if (m == 0 || n == 0) return;
  // By columns all are transposed: B' = alpha B' A, where A is the transpose of what its memory has.
  succeed(cublasDtrmm(blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, m, &alpha,
                      a.data, m, b.data, n, b.data, n),
          "cublasDtrmm");
}

// ---- cholesky: by columns, the lower half is the upper one

__global__ void shiftKernel(double shift, double *a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[std::size_t(i) * n + i] += shift;
}

void cholesky(double shift, Out<double, 2> a) {
  const int n = int(a.size[0]);
  if (n == 0) return;
  static const int space = [&] {
    int result = 0;
    succeed(cusolverDnDpotrf_bufferSize(solver(), CUBLAS_FILL_MODE_UPPER, n, a.data, n, &result), "cusolverDnDpotrf");
    return result;
  }();
  static Buffer<double> workspace(space);
  static Buffer<int> info(1);
  shiftKernel<<<(unsigned(n) + 127) / 128, 128>>>(shift, a.data, unsigned(n));
  check(cudaGetLastError(), "cholesky");
  succeed(cusolverDnDpotrf(solver(), CUBLAS_FILL_MODE_UPPER, n, a.data, n, workspace.data(), space, info.data()),
          "cusolverDnDpotrf");
}

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<trmm> trmmPeer("trmm", "cublas", {"alpha", "a", "b"}, kDevice);
const Peer<cholesky> choleskyPeer("cholesky", "cusolver", {"shift", "a"}, kDevice);

} // namespace

BENCH_PEERS(&trmmPeer.kernel, &choleskyPeer.kernel)
