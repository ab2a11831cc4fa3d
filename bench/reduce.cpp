// Sum of 64M (--elements=N) ints and floats: Tangram, hand-written OpenMP SIMD, the parallel standard library.
#include "reduce.h"
#include "Bench.h"

#include <execution>
#include <numeric>

namespace {

template <class T> T openmpSimd(const T *in, std::size_t n) {
  T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  return sum;
}

template <class T, class F> void candidate(const char *name, const std::vector<T> &data, F sum) {
  double expected = 0;
  for (T x : data) expected += x;
  // Partial sums of random signs grow to sqrt(n), so that an addition rounds by eps * sqrt(n) / 2 at most, and n / 16
  // of those add up where an accumulator has a sixteenth of the work. Few elements may be added up by one, and with few
  // the sum may be several times its usual size. Integers are exact.
  double n = static_cast<double>(data.size());
  double bound = 6e-8 * std::sqrt(n) * (n < 1 << 20 ? 8 * std::sqrt(n) : std::sqrt(n / 16));
  if (!std::is_floating_point_v<T>) bound = 0;
  bench::check(name, sum(), expected, bound);
  bench::timed(name, {.bytes = static_cast<double>(data.size() * sizeof(T))},
               [sum] { benchmark::DoNotOptimize(sum()); });
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t n = options.number("elements", std::size_t(64) << 20);
  options.done();
  static const auto ints = bench::randomData<int>(n);
  static const auto floats = bench::randomData<float>(n);
  candidate("sum_i32/tangram", ints, [] { return tangram_kernels::sum_int(ints.data(), ints.size()); });
  candidate("sum_i32/omp_simd", ints, [] { return openmpSimd(ints.data(), ints.size()); });
  candidate("sum_f32/tangram", floats, [] { return tangram_kernels::sum_float(floats.data(), floats.size()); });
  candidate("sum_f32/omp_simd", floats, [] { return openmpSimd(floats.data(), floats.size()); });
#ifdef TANGRAM_BENCH_TBB
  candidate("sum_i32/std_reduce", ints,
            [] { return std::reduce(std::execution::par_unseq, ints.begin(), ints.end(), 0); });
  candidate("sum_f32/std_reduce", floats,
            [] { return std::reduce(std::execution::par_unseq, floats.begin(), floats.end(), 0.0f); });
#endif
  benchmark::RunSpecifiedBenchmarks();
}
