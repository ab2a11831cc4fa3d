// C = A B^T in double precision, 1024 x 1024 (--size=4096 is Table 8.1's): Tangram, OpenBLAS, Eigen, MKL.
#include "dgemm.h"
#include "Bench.h"
#include "Mkl.h"
#include "Plans.h"

#include <thread>

#ifdef TANGRAM_BENCH_EIGEN
#include <Eigen/Dense>
#endif

using CblasDgemm = void(int order, int transA, int transB, int m, int n, int k, double alpha, const double *a, int lda,
                        const double *b, int ldb, double beta, double *c, int ldc);
extern "C" CblasDgemm cblas_dgemm;

namespace {

struct Problem {
  std::size_t n;
  std::vector<double> a = bench::randomData<double>(n * n), b = bench::randomData<double>(n * n);
  std::vector<double> c = std::vector<double>(n * n);
  std::vector<long double> expected = std::vector<long double>(n * n);

  std::string name() const { return "dgemm_" + std::to_string(n); }
};

/// By threads that end with it, and not those of OpenMP: plans are searched for before those are there.
void reference(Problem &p) {
  auto rows = [&p](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < p.n; i += step)
      for (std::size_t j = 0; j < p.n; ++j) {
        long double sum = 0;
        for (std::size_t l = 0; l < p.n; ++l) sum += static_cast<long double>(p.a[i * p.n + l]) * p.b[j * p.n + l];
        p.expected[i * p.n + j] = sum;
      }
  };
  std::size_t many = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < many; ++t) threads.emplace_back(rows, t, many);
}

void linked(Problem &p) {
  tangram_kernels::gemm_double(p.a.data(), p.n, p.n, p.n, p.b.data(), p.n, p.n, p.n, p.c.data(), p.n, p.n, p.n);
}

void check(const std::string &name, Problem &p) {
  // Summing n products of values of at most 1, in any order, is wrong by n * n * eps / 2 at worst; random signs and
  // values keep it below n * eps by far.
  double bound = 2.2e-16 * 8 * static_cast<double>(p.n);
  for (std::size_t i = 0; i < p.c.size(); ++i) {
    bench::check(name.c_str(), p.c[i], static_cast<double>(p.expected[i]), bound);
    p.c[i] = 0;
  }
}

template <class F> void candidate(const char *who, Problem &p, F gemm) {
  std::string name = p.name() + "/" + who;
  gemm();
  check(name, p);
  double n = static_cast<double>(p.n);
  bench::timed(name, {.bytes = 3 * n * n * sizeof(double), .flops = 2 * n * n * n}, gemm);
}

[[maybe_unused]] void callCblas(CblasDgemm *gemm, Problem &p) {
  constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;
  int n = static_cast<int>(p.n);
  gemm(kRowMajor, kNoTranspose, kTranspose, n, n, n, 1, p.a.data(), n, p.b.data(), n, 0, p.c.data(), n);
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t n = options.number("size", 1024);
  bench::Plans plans(options);
  options.done();
  if (n > 1 << 15) options.fail("matrices of " + std::to_string(n) + " rows are too large");
  static Problem p{n};
  reference(p);
  auto plan = plans.chosen(
      "gemm<double>", {bench::matrix(p.a, n, n), bench::matrix(p.b, n, n), bench::matrix(p.c, n, n)}, [] { linked(p); },
      [] { check(p.name(), p); });
  candidate("tangram", p, plan.picked);
  if (plan.found) candidate("found", p, *plan.found);
#ifdef TANGRAM_BENCH_OPENBLAS
  candidate("openblas", p, [] { callCblas(cblas_dgemm, p); });
#endif
#ifdef TANGRAM_BENCH_MKL
  candidate("mkl", p, [gemm = bench::mkl::function<CblasDgemm>("cblas_dgemm")] { callCblas(gemm, p); });
#endif
#ifdef TANGRAM_BENCH_EIGEN
  candidate("eigen", p, [] {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto n = static_cast<Eigen::Index>(p.n);
    Eigen::Map<const Matrix> a(p.a.data(), n, n), b(p.b.data(), n, n);
    Eigen::Map<Matrix>(p.c.data(), n, n).noalias() = a * b.transpose();
  });
#endif
  benchmark::RunSpecifiedBenchmarks();
}
