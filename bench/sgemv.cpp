// y = A x in single precision, tall and skinny (512K x 128) and short and fat (128 x 512K): Tangram and OpenBLAS.
#include "sgemv.h"
#include "Data.h"

#include <benchmark/benchmark.h>
#include <string>

extern "C" void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda, const float *x,
                            int incx, float beta, float *y, int incy);

namespace {

struct Problem {
  std::string name;
  std::size_t rows, columns;
  std::vector<float> a = bench::randomData<float>(rows * columns), x = bench::randomData<float>(columns);
  std::vector<float> y = std::vector<float>(rows), expected = y;
};

template <class F> void candidate(const std::string &name, Problem &p, F gemv) {
  gemv();
  // The worst error of summing n products of values of at most 1, in any order, stays below n * eps; random signs keep
  // it near sqrt(n) * eps.
  double bound = 1.2e-7 * 32 * std::sqrt(static_cast<double>(p.columns));
  for (std::size_t i = 0; i < p.rows; ++i) {
    bench::check(name.c_str(), p.y[i], p.expected[i], bound);
    p.y[i] = 0;
  }
  benchmark::RegisterBenchmark(name.c_str(),
                               [gemv, &p](benchmark::State &state) {
                                 for (auto _ : state) {
                                   gemv();
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetBytesProcessed(int64_t(state.iterations() * p.a.size() * sizeof(float)));
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void problem(Problem &p) {
  for (std::size_t i = 0; i < p.rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < p.columns; ++j) sum += double(p.a[i * p.columns + j]) * p.x[j];
    p.expected[i] = static_cast<float>(sum);
  }
  candidate(p.name + "/tangram", p, [&p] {
    tangram_kernels::gemv_float(p.a.data(), p.rows, p.columns, p.columns, p.x.data(), p.x.size(), p.y.data(),
                                p.y.size());
  });
  candidate(p.name + "/openblas", p, [&p] {
    constexpr int kRowMajor = 101, kNoTranspose = 111;
    cblas_sgemv(kRowMajor, kNoTranspose, int(p.rows), int(p.columns), 1, p.a.data(), int(p.columns), p.x.data(), 1, 0,
                p.y.data(), 1);
  });
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  static Problem tall{"sgemv_512Kx128", std::size_t(512) << 10, 128};
  static Problem fat{"sgemv_128x512K", 128, std::size_t(512) << 10};
  problem(tall);
  problem(fat);
  benchmark::RunSpecifiedBenchmarks();
}
