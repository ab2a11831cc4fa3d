// The programs of apps/examples that are made of products of matrices, by cuBLAS: a library of its own, since that is
// not everywhere.
#include "gpu_cublas.h"
#include "peer_kernel.h"

#include "tangram/cuda/device.h"

namespace {

using bench::blas, bench::Buffer, bench::check, bench::In, bench::Out, bench::succeed;

/// A temporary of one program, kept between calls.
double *temporary(std::size_t n) {
  static Buffer<double> memory(n);
  return memory.data();
}

/// c = alpha a b + beta c, a of m x k, row-major: of columns, the product of the transposes.
void gemm(double alpha, const double *a, const double *b, double beta, double *c, int m, int n, int k) {
  succeed(cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b, n, a, k, &beta, c, n), "cublasDgemm");
}

/// y = alpha a x + beta y, or with the transpose of a.
void gemv(bool transposed, double alpha, const double *a, int rows, int columns, const double *x, double beta,
          double *y) {
  succeed(
      cublasDgemv(blas(), transposed ? CUBLAS_OP_N : CUBLAS_OP_T, columns, rows, &alpha, a, columns, x, 1, &beta, y, 1),
      "cublasDgemv");
}

void sgemm(In<float, 2> a, In<float, 2> b, Out<float, 2> c) {
  const int m = c.size[0], n = c.size[1], k = a.size[1];
  const float one = 1, zero = 0;
  succeed(cublasSgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data, n, a.data, k, &zero, c.data, n),
          "cublasSgemm");
}

void flatgemm(int m, int n, int k, In<float, 1> a, In<float, 1> b, Out<float, 1> c) {
  const float one = 1, zero = 0;
  succeed(cublasSgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data, n, a.data, k, &zero, c.data, n),
          "cublasSgemm");
}

void hgemm(In<bench::Half, 2> a, In<bench::Half, 2> b, Out<float, 2> c) {
  const int m = c.size[0], n = c.size[1], k = a.size[1];
  const float one = 1, zero = 0;
  succeed(cublasGemmEx(blas(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data, CUDA_R_16F, n, a.data, CUDA_R_16F, k,
                       &zero, c.data, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
}

void twoProducts(double alpha, double beta, In<double, 2> a, In<double, 2> b, In<double, 2> c, Out<double, 2> d) {
  const int m = a.size[0], k = a.size[1], n = b.size[1], l = c.size[1];
  double *t = temporary(std::size_t(m) * n);
  gemm(alpha, a.data, b.data, 0, t, m, n, k);
  gemm(1, t, c.data, beta, d.data, m, l, n);
}

void doitgen(Out<double, 3> a, In<double, 2> c4) {
  const std::size_t rows = a.size[0] * a.size[1], n = a.size[2];
  double *t = temporary(rows * n);
  gemm(1, a.data, c4.data, 0, t, int(rows), int(n), int(n));
  check(cudaMemcpyAsync(a.data, t, rows * n * sizeof(double), cudaMemcpyDeviceToDevice), "doitgen");
}

void mvt(In<double, 2> a, In<double, 1> y1, In<double, 1> y2, Out<double, 1> x1, Out<double, 1> x2) {
  gemv(false, 1, a.data, a.size[0], a.size[1], y1.data, 1, x1.data);
  gemv(true, 1, a.data, a.size[0], a.size[1], y2.data, 1, x2.data);
}

void atax(In<double, 2> a, In<double, 1> x, Out<double, 1> y) {
  double *t = temporary(a.size[0]);
  gemv(false, 1, a.data, a.size[0], a.size[1], x.data, 0, t);
  gemv(true, 1, a.data, a.size[0], a.size[1], t, 0, y.data);
}

constexpr unsigned kLanes = 256;

__global__ void updateKernel(double *a, std::size_t n, const double *u1, const double *v1, const double *u2,
                             const double *v2) {
  const std::size_t j = std::size_t(blockIdx.x) * kLanes + threadIdx.x, i = blockIdx.y;
  if (j < n) a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

void gemver(double alpha, double beta, Out<double, 2> a, In<double, 1> u1, In<double, 1> v1, In<double, 1> u2,
            In<double, 1> v2, In<double, 1> y, In<double, 1> z, Out<double, 1> x, Out<double, 1> w) {
  const int n = x.size[0];
  updateKernel<<<dim3((n + kLanes - 1) / kLanes, n), kLanes>>>(a.data, n, u1.data, v1.data, u2.data, v2.data);
  check(cudaGetLastError(), "gemver");
  const double one = 1;
  gemv(true, beta, a.data, n, n, y.data, 1, x.data);
  succeed(cublasDaxpy(blas(), n, &one, z.data, 1, x.data, 1), "cublasDaxpy");
  gemv(false, alpha, a.data, n, n, x.data, 1, w.data);
}

} // namespace

namespace {

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<sgemm> sgemmPeer("sgemm", "cublas", {"a", "b", "c"}, kDevice);
const Peer<flatgemm> flatgemmPeer("flatgemm", "cublas", {"m", "n", "k", "a", "b", "c"}, kDevice);
const Peer<hgemm> hgemmPeer("hgemm", "cublas", {"a", "b", "c"}, kDevice);
const Peer<twoProducts> twoProductsPeer("two_products", "cublas", {"alpha", "beta", "a", "b", "c", "d"}, kDevice);
const Peer<doitgen> doitgenPeer("doitgen", "cublas", {"a", "c4"}, kDevice);
const Peer<mvt> mvtPeer("mvt", "cublas", {"a", "y1", "y2", "x1", "x2"}, kDevice);
const Peer<atax> ataxPeer("atax", "cublas", {"a", "x", "y"}, kDevice);
const Peer<gemver> gemverPeer("gemver", "cublas", {"alpha", "beta", "a", "u1", "v1", "u2", "v2", "y", "z", "x", "w"},
                              kDevice);

} // namespace

BENCH_PEERS(&sgemmPeer.kernel, &flatgemmPeer.kernel, &hgemmPeer.kernel, &twoProductsPeer.kernel, &doitgenPeer.kernel,
            &mvtPeer.kernel, &ataxPeer.kernel, &gemverPeer.kernel)
