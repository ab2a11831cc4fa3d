// y = A x for sparse matrices in compressed rows: Tangram, Eigen, an OpenMP loop, MKL. One matrix is like bcsstk18
// (11948 rows, 12.5 elements each, near the diagonal) and a larger one has --rows=1000000 with 16 each;
// with --matrix=FILE.mtx, else TANGRAM_BENCH_MATRIX, it is that matrix alone.
#include "spmv.h"
#include "Bench.h"
#include "Mkl.h"
#include "Plans.h"
#include "SparseMatrix.h"

#include <cmath>
#include <list>
#ifdef TANGRAM_BENCH_EIGEN
#include <Eigen/SparseCore>
#endif

namespace {

struct Problem {
  std::string name;
  bench::SparseMatrix m;
  std::vector<double> x = bench::randomData<double>(m.columns), y = std::vector<double>(m.rows());
  std::vector<long double> expected = std::vector<long double>(m.rows());
  std::vector<double> bound = std::vector<double>(m.rows());
  // The peers' positions have a sign.
  std::vector<int> row{m.row.begin(), m.row.end()}, column{m.column.begin(), m.column.end()};
  bench::Chosen plan = {};
};

void reference(Problem &p) {
  bench::makeWhole(p.m.value);
  for (std::size_t r = 0; r < p.m.rows(); ++r) {
    long double sum = 0, size = 0;
    for (unsigned e = p.m.row[r]; e < p.m.row[r + 1]; ++e) {
      long double product = static_cast<long double>(p.m.value[e]) * p.x[p.m.column[e]];
      sum += product;
      size += std::abs(product);
    }
    p.expected[r] = sum;
    // In any order: each of n operations on a product rounds by eps / 2 of what there is at most.
    p.bound[r] = 1.2e-16 * (p.m.row[r + 1] - p.m.row[r] + 1.0) * static_cast<double>(size);
  }
}

void ompLoop(Problem &p) {
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < p.m.rows(); ++r) {
    double sum = 0;
    for (unsigned e = p.m.row[r]; e < p.m.row[r + 1]; ++e) sum += p.m.value[e] * p.x[p.m.column[e]];
    p.y[r] = sum;
  }
}

void linked(Problem &p) {
  tangram_kernels::spmv_double(p.m.row.data(), p.m.row.size(), p.m.column.data(), p.m.column.size(), p.m.value.data(),
                               p.m.value.size(), p.x.data(), p.x.size(), p.y.data(), p.y.size());
}

void check(const std::string &name, Problem &p) {
  for (std::size_t r = 0; r < p.y.size(); ++r) {
    bench::check(name.c_str(), p.y[r], static_cast<double>(p.expected[r]), p.bound[r]);
    p.y[r] = NAN;
  }
}

void search(Problem &p, const bench::Plans &plans) {
  p.plan = plans.chosen(
      "spmv<double>",
      {bench::array(p.m.row), bench::array(p.m.column), bench::array(p.m.value), bench::array(p.x), bench::array(p.y)},
      [&p] { linked(p); }, [&p] { check(p.name, p); });
}

template <class F> void candidate(const char *who, Problem &p, F multiply) {
  std::string name = p.name + "/" + who;
  multiply();
  check(name, p);
  double elements = static_cast<double>(p.m.value.size()), rows = static_cast<double>(p.m.rows());
  bench::timed(name,
               {.bytes = elements * (sizeof(double) + sizeof(unsigned)) + rows * (sizeof(double) + sizeof(unsigned)) +
                         static_cast<double>(p.m.columns) * sizeof(double)},
               multiply);
}

#ifdef TANGRAM_BENCH_MKL
void mkl(Problem &p) {
  struct Description { // of MKL's, passed by value
    int type, mode, diagonal;
  };
  constexpr int kZeroBased = 0, kNotTransposed = 10, kSuccess = 0;
  constexpr Description kGeneral{20, 40, 50};
  using Create = int(void **, int base, int rows, int columns, int *begins, int *ends, int *column, double *value);
  using Multiply = int(int operation, double alpha, void *matrix, Description, const double *x, double beta, double *y);
  using Optimize = int(void *matrix);
  using Hint = int(void *matrix, int operation, Description, int calls);
  void *matrix = nullptr;
  int failed = bench::mkl::function<Create>("mkl_sparse_d_create_csr")(&matrix, kZeroBased, int(p.m.rows()),
                                                                       int(p.m.columns), p.row.data(), p.row.data() + 1,
                                                                       p.column.data(), p.m.value.data());
  if (failed == kSuccess) // its inspection is what a user would do before many products
    failed = bench::mkl::function<Hint>("mkl_sparse_set_mv_hint")(matrix, kNotTransposed, kGeneral, 1000) ||
             bench::mkl::function<Optimize>("mkl_sparse_optimize")(matrix);
  if (failed) std::fprintf(stderr, "error: MKL does not take the matrix of %s\n", p.name.c_str()), std::exit(1);
  auto *multiply = bench::mkl::function<Multiply>("mkl_sparse_d_mv");
  candidate("mkl", p, [=, &p] { multiply(kNotTransposed, 1, matrix, kGeneral, p.x.data(), 0, p.y.data()); });
}
#endif

void problem(Problem &p) {
  candidate("tangram", p, p.plan.picked);
  if (p.plan.found) candidate("found", p, *p.plan.found);
  candidate("omp_loop", p, [&p] { ompLoop(p); });
#ifdef TANGRAM_BENCH_EIGEN
  candidate("eigen", p, [&p] {
    Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>> a(
        Eigen::Index(p.m.rows()), Eigen::Index(p.m.columns), Eigen::Index(p.m.value.size()), p.row.data(),
        p.column.data(), p.m.value.data());
    Eigen::Map<const Eigen::VectorXd> x(p.x.data(), Eigen::Index(p.x.size()));
    Eigen::Map<Eigen::VectorXd>(p.y.data(), Eigen::Index(p.y.size())).noalias() = a * x;
  });
#endif
#ifdef TANGRAM_BENCH_MKL
  mkl(p);
#endif
}

} // namespace

int main(int argc, char **argv) try {
  bench::Options options(argc, argv);
  std::string file = options.file("matrix", "TANGRAM_BENCH_MATRIX");
  std::size_t rows = options.number("rows", 1000000);
  bench::Plans plans(options);
  options.done();
  if (rows > 1 << 26) options.fail("a matrix of " + std::to_string(rows) + " rows is too large");
  constexpr std::size_t kRows = 11948, kBand = 1243; // bcsstk18's
  static std::list<Problem> problems;
  if (file.empty()) {
    problems.push_back({"spmv_like_bcsstk18", bench::randomBanded(kRows, 12.5, kBand)});
    problems.push_back({"spmv_" + std::to_string(rows), bench::randomBanded(rows, 16, 10 * kBand)});
  } else {
    problems.push_back({bench::caseName("spmv", file), bench::readMatrixMarket(file)});
  }
  for (Problem &p : problems) {
    reference(p);
    search(p, plans);
  }
  for (Problem &p : problems) problem(p);
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
