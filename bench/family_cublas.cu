// The programs of apps/family that are made of products of matrices, by cuBLAS: a library of its own, since that is not
// everywhere.
#include "gpu_cublas.h"
#include "peer_kernel.h"

#include "tangram/cuda/device.h"

namespace {

using bench::blas, bench::check, bench::In, bench::Out, bench::succeed;

/// c = alpha a b (or b transposed) + beta c, row-major: of columns, the product of the transposes.
void gemm(float alpha, const float *a, const float *b, bool transposed, float beta, float *c, int m, int n, int k) {
  succeed(cublasSgemm(blas(), transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b,
                      transposed ? k : n, a, k, &beta, c, n),
          "cublasSgemm");
}

void product(float alpha, float beta, In<float, 2> A, In<float, 2> B, Out<float, 2> C) {
  gemm(alpha, A.data, B.data, false, beta, C.data, C.size[0], C.size[1], A.size[1]);
}

void sgemm(int, int, int, In<float, 2> A, In<float, 2> B, Out<float, 2> C, float alpha, float beta) {
  product(alpha, beta, A, B, C);
}

constexpr unsigned kTile = 32, kRows = 8;

/// c = beta c + t + t transposed, by tiles.
__global__ void bothKernel(float *__restrict__ c, const float *__restrict__ t, float beta, unsigned n) {
  __shared__ float tile[kTile][kTile + 1];
  const unsigned left = blockIdx.x * kTile, top = blockIdx.y * kTile, x = threadIdx.x;
  for (unsigned r = threadIdx.y; r < kTile; r += kRows)
    if (left + r < n && top + x < n) tile[r][x] = t[std::size_t(left + r) * n + top + x];
  __syncthreads();
  for (unsigned r = threadIdx.y; r < kTile; r += kRows)
    if (top + r < n && left + x < n) {
      const std::size_t at = std::size_t(top + r) * n + left + x;
      c[at] = beta * c[at] + t[at] + tile[x][r];
    }
}

/// One product, and that with its transpose: half of what the loops compute.
void syr2k(int, int, In<float, 2> A, In<float, 2> B, Out<float, 2> C, float alpha, float beta) {
  const unsigned n = C.size[0], pieces = (n + kTile - 1) / kTile;
  if (n == 0) return;
  static bench::Buffer<float> t(C.size[0] * C.size[0]); // of one program, kept between calls
  gemm(alpha, A.data, B.data, true, 0, t.data(), n, n, A.size[1]);
  bothKernel<<<dim3(pieces, pieces), dim3(kTile, kRows)>>>(C.data, t.data(), beta, n);
  check(cudaGetLastError(), "syr2k");
}

void doitgen(int, int, int, Out<float, 3> A, Out<float, 3> sum, In<float, 2> C4) {
  const std::size_t rows = A.size[0] * A.size[1], n = A.size[2];
  gemm(1, A.data, C4.data, false, 0, sum.data, int(rows), int(n), int(n));
  check(cudaMemcpyAsync(A.data, sum.data, rows * n * sizeof(float), cudaMemcpyDeviceToDevice), "doitgen");
}

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<product> gemmPeer("GEMM", "cublas", {"_alpha", "_beta", "A", "B", "C"}, kDevice);
const Peer<sgemm> sgemmPeer("sgemm", "cublas", {"n", "m", "p", "A", "B", "C", "alpha", "beta"}, kDevice);
const Peer<syr2k> syr2kPeer("syr2k", "cublas", {"n", "m", "A", "B", "C", "alpha", "beta"}, kDevice);
const Peer<doitgen> doitgenPeer("doitgen", "cublas", {"R", "Q", "P", "A", "sum", "C4"}, kDevice);

} // namespace

BENCH_PEERS(&gemmPeer.kernel, &sgemmPeer.kernel, &syr2kPeer.kernel, &doitgenPeer.kernel)
