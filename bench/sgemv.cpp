// y = A x in single precision, tall and skinny (512K x 128; --long=N, --short=N) and short and fat (128 x 512K):
// Tangram, OpenBLAS, MKL.
#include "sgemv.h"
#include "Bench.h"
#include "Mkl.h"
#include "Plans.h"

using CblasSgemv = void(int order, int trans, int m, int n, float alpha, const float *a, int lda, const float *x,
                        int incx, float beta, float *y, int incy);
extern "C" CblasSgemv cblas_sgemv;

namespace {

struct Problem {
  std::size_t rows, columns;
  std::string name = "sgemv_" + std::to_string(rows) + "x" + std::to_string(columns);
  std::vector<float> a = bench::randomData<float>(rows * columns), x = bench::randomData<float>(columns);
  std::vector<float> y = std::vector<float>(rows), expected = y;
  bench::Chosen plan = {};
};

void reference(Problem &p) {
  for (std::size_t i = 0; i < p.rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < p.columns; ++j) sum += double(p.a[i * p.columns + j]) * p.x[j];
    p.expected[i] = static_cast<float>(sum);
  }
}

void linked(Problem &p) {
  tangram_kernels::gemv_float(p.a.data(), p.rows, p.columns, p.columns, p.x.data(), p.x.size(), p.y.data(), p.y.size());
}

void check(const std::string &name, Problem &p, bool byOne) {
  // Random signs keep the error of adding up n products of values of at most 1 near sqrt(n) * eps where many
  // accumulators share them; one alone rounds partial sums of sqrt(n) each time, which adds up to n * eps.
  double n = static_cast<double>(p.columns), bound = 1.2e-7 * (32 * std::sqrt(n) + (byOne ? n : 0));
  for (std::size_t i = 0; i < p.rows; ++i) {
    bench::check(name.c_str(), p.y[i], p.expected[i], bound);
    p.y[i] = 0;
  }
}

void search(Problem &p, const bench::Plans &plans) {
  p.plan = plans.chosen(
      "gemv<float>", {bench::matrix(p.a, p.rows, p.columns), bench::array(p.x), bench::array(p.y)}, [&p] { linked(p); },
      [&p] { check(p.name, p, true); });
}

template <class F> void candidate(const std::string &name, Problem &p, F gemv, bool byOne = false) {
  gemv();
  check(name, p, byOne);
  bench::timed(name, {.bytes = static_cast<double>(p.a.size() * sizeof(float))}, gemv);
}

[[maybe_unused]] void callCblas(CblasSgemv *gemv, Problem &p) {
  constexpr int kRowMajor = 101, kNoTranspose = 111;
  gemv(kRowMajor, kNoTranspose, int(p.rows), int(p.columns), 1, p.a.data(), int(p.columns), p.x.data(), 1, 0,
       p.y.data(), 1);
}

void problem(Problem &p) {
  candidate(p.name + "/tangram", p, p.plan.picked);
  if (p.plan.found) candidate(p.name + "/found", p, *p.plan.found, true);
#ifdef TANGRAM_BENCH_OPENBLAS
  candidate(p.name + "/openblas", p, [&p] { callCblas(cblas_sgemv, p); });
#endif
#ifdef TANGRAM_BENCH_MKL
  candidate(p.name + "/mkl", p, [&p, gemv = bench::mkl::function<CblasSgemv>("cblas_sgemv")] { callCblas(gemv, p); });
#endif
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t many = options.number("long", std::size_t(512) << 10), few = options.number("short", 128);
  bench::Plans plans(options);
  options.done();
  if (many > 1 << 30 || few > 1 << 30) options.fail("BLAS takes smaller matrices only");
  static Problem tall{many, few}, fat{few, many};
  for (Problem *p : {&tall, &fat}) {
    reference(*p);
    search(*p, plans);
  }
  problem(tall);
  problem(fat);
  benchmark::RunSpecifiedBenchmarks();
}
