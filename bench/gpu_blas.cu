// cuBLAS and cuSPARSE as peers.
#include "gpu_cublas.h"

#include <cusparse.h>

namespace bench {
namespace {

cusparseHandle_t sparse() {
  static cusparseHandle_t handle = [] {
    cusparseHandle_t made;
    succeed(cusparseCreate(&made), "cusparseCreate");
    return made;
  }();
  return handle;
}

/// A matrix and a vector of cuSPARSE.
struct Sparse {
  Buffer<int> row, column; // positions below 2^31 are the same with a sign
  Buffer<double> value, x;
  std::int64_t rows() const { return std::int64_t(row.size()) - 1; }
};

/// With descriptions of its own, which live as long as the program: what is prepared for an algorithm belongs to them.
Peer spmv(std::string name, cusparseSpMVAlg_t algorithm, std::shared_ptr<Sparse> data) {
  auto result = std::make_shared<Buffer<double>>(std::size_t(data->rows()));
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  succeed(cusparseCreateCsr(&a, data->rows(), std::int64_t(data->x.size()), std::int64_t(data->value.size()),
                            data->row.data(), data->column.data(), data->value.data(), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
  succeed(cusparseCreateDnVec(&x, std::int64_t(data->x.size()), data->x.data(), CUDA_R_64F), "cusparseCreateDnVec");
  succeed(cusparseCreateDnVec(&y, data->rows(), result->data(), CUDA_R_64F), "cusparseCreateDnVec");
  const double one = 1, zero = 0;
  constexpr auto kAsItIs = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  succeed(cusparseSpMV_bufferSize(sparse(), kAsItIs, &one, a, x, &zero, y, CUDA_R_64F, algorithm, &bytes),
          "cusparseSpMV_bufferSize");
  auto workspace = std::make_shared<Buffer<char>>(bytes);
#if CUSPARSE_VERSION >= 12400 // what a user would do before many products
  succeed(cusparseSpMV_preprocess(sparse(), kAsItIs, &one, a, x, &zero, y, CUDA_R_64F, algorithm, workspace->data()),
          "cusparseSpMV_preprocess");
#endif
  auto run = [=] {
    (void)data; // what the descriptions speak of
    succeed(cusparseSpMV(sparse(), kAsItIs, &one, a, x, &zero, y, CUDA_R_64F, algorithm, workspace->data()),
            "cusparseSpMV");
  };
  return peer(std::move(name), run, result);
}

} // namespace

std::vector<Peer> dotPeers(View<float> hostA, View<float> hostB) {
  auto a = std::make_shared<Buffer<float>>(hostA), b = std::make_shared<Buffer<float>>(hostB);
  auto result = std::make_shared<Buffer<float>>(1);
  auto run = [=] {
    // The result stays on the device, so that a call does not wait.
    succeed(cublasSetPointerMode(blas(), CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    succeed(cublasSdot(blas(), int(a->size()), a->data(), 1, b->data(), 1, result->data()), "cublasSdot");
    succeed(cublasSetPointerMode(blas(), CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
  };
  return {peer("cublasSdot", run, result)};
}

std::vector<Peer> gemvPeers(View<float> hostA, std::size_t rows, std::size_t columns, View<float> hostX) {
  auto a = std::make_shared<Buffer<float>>(hostA), x = std::make_shared<Buffer<float>>(hostX);
  auto y = std::make_shared<Buffer<float>>(rows);
  auto run = [=] {
    // Row-major A is column-major A transposed.
    const float one = 1, zero = 0;
    succeed(cublasSgemv(blas(), CUBLAS_OP_T, int(columns), int(rows), &one, a->data(), int(columns), x->data(), 1,
                        &zero, y->data(), 1),
            "cublasSgemv");
  };
  return {peer("cublasSgemv", run, y)};
}

std::vector<Peer> gemmPeers(View<double> hostA, View<double> hostB, std::size_t many) {
  auto a = std::make_shared<Buffer<double>>(hostA), b = std::make_shared<Buffer<double>>(hostB);
  auto c = std::make_shared<Buffer<double>>(many * many);
  auto run = [=] {
    // Row-major C = A B^T is column-major C^T = B A^T, where row-major B is column-major B transposed.
    const double one = 1, zero = 0;
    int n = int(many);
    succeed(
        cublasDgemm(blas(), CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, b->data(), n, a->data(), n, &zero, c->data(), n),
        "cublasDgemm");
  };
  return {peer("cublasDgemm", run, c)};
}

std::vector<Peer> spmvPeers(const SparseView &a, View<double> x) {
  if (a.row.size < 2 || a.value.size == 0) return {};
  auto signedOnes = [](View<unsigned> all) { return View<int>{reinterpret_cast<const int *>(all.data), all.size}; };
  std::shared_ptr<Sparse> data(new Sparse{Buffer<int>(signedOnes(a.row)), Buffer<int>(signedOnes(a.column)),
                                          Buffer<double>(a.value), Buffer<double>(x)});
  return {spmv("cusparseSpMV CSR_ALG1", CUSPARSE_SPMV_CSR_ALG1, data),
          spmv("cusparseSpMV CSR_ALG2", CUSPARSE_SPMV_CSR_ALG2, data)};
}

} // namespace bench
