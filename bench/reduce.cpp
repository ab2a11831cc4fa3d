// Sum of 64M (--elements=N) ints and floats: Tangram, hand-written OpenMP SIMD, the parallel standard library.
#include "reduce.h"
#include "Bench.h"
#include "Plans.h"

#include <execution>
#include <numeric>

namespace {

template <class T> struct Problem {
  std::string name, spectrum;
  std::vector<T> in;
  T sum = 0;
  double expected = std::accumulate(in.begin(), in.end(), 0.0);
  bench::Chosen plan = {};
};

template <class T> T openmpSimd(const T *in, std::size_t n) {
  T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  return sum;
}

template <class T> void check(const std::string &name, const Problem<T> &p, bool byOne) {
  // Partial sums of random signs grow to sqrt(n), so that an addition rounds by eps * sqrt(n) / 2 at most, and n / 16
  // of those add up where one of 16 accumulators does them, all by one alone. Few elements may be added up by one, and
  // with few the sum may be several times its usual size. Integers are exact.
  double n = static_cast<double>(p.in.size());
  double bound = 6e-8 * std::sqrt(n) * (n < 1 << 20 ? 8 * std::sqrt(n) : std::sqrt(byOne ? n : n / 16));
  if (!std::is_floating_point_v<T>) bound = 0;
  bench::check(name.c_str(), p.sum, p.expected, bound);
}

/// `sum` leaves its result in the problem.
template <class T, class F> void candidate(const char *who, Problem<T> &p, F sum, bool byOne = false) {
  std::string name = p.name + "/" + who;
  sum();
  check(name, p, byOne);
  bench::timed(name, {.bytes = static_cast<double>(p.in.size() * sizeof(T))}, sum);
}

/// A plan may add up all by one accumulator.
template <class T> void search(Problem<T> &p, const bench::Plans &plans, const std::function<void()> &linked) {
  p.plan =
      plans.chosen(p.spectrum, {bench::array(p.in), bench::scalar(p.sum)}, linked, [&p] { check(p.name, p, true); });
}

template <class T> void problem(Problem<T> &p) {
  candidate("tangram", p, p.plan.picked);
  if (p.plan.found) candidate("found", p, *p.plan.found, true);
  candidate("omp_simd", p, [&p] { p.sum = openmpSimd(p.in.data(), p.in.size()); });
#ifdef TANGRAM_BENCH_TBB
  candidate("std_reduce", p, [&p] { p.sum = std::reduce(std::execution::par_unseq, p.in.begin(), p.in.end(), T(0)); });
#endif
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t n = options.number("elements", std::size_t(64) << 20);
  bench::Plans plans(options);
  options.done();
  static Problem<int> ints{"sum_i32", "sum<int>", bench::randomData<int>(n)};
  static Problem<float> floats{"sum_f32", "sum<float>", bench::randomData<float>(n)};
  auto sumInts = [] { ints.sum = tangram_kernels::sum_int(ints.in.data(), ints.in.size()); };
  auto sumFloats = [] { floats.sum = tangram_kernels::sum_float(floats.in.data(), floats.in.size()); };
  search(ints, plans, sumInts);
  search(floats, plans, sumFloats);
  problem(ints);
  problem(floats);
  benchmark::RunSpecifiedBenchmarks();
}
