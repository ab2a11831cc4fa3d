// Inclusive and exclusive scan of 16M (--elements=N) ints: Tangram, TBB's parallel_scan, the parallel and the
// sequential standard library.
#include "scan.h"
#include "Bench.h"
#include "Plans.h"

#include <execution>
#include <numeric>
#ifdef TANGRAM_BENCH_TBB
#include <tbb/parallel_scan.h>
#endif

namespace {

std::vector<int> in, out;

enum class Kind { Inclusive, Exclusive };

void inclusive() { tangram_kernels::scan_inclusive_int(in.data(), in.size(), out.data(), out.size()); }
void exclusive() { tangram_kernels::scan_exclusive_int(in.data(), in.size(), out.data(), out.size()); }

void check(const char *name, Kind kind) {
  long sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    long before = sum;
    sum += in[i];
    bench::check(name, out[i], static_cast<double>(kind == Kind::Inclusive ? sum : before), 0);
    out[i] = 0;
  }
}

template <class F> void candidate(const char *name, Kind kind, F scan) {
  scan();
  check(name, kind);
  bench::timed(name, {.bytes = static_cast<double>(2 * in.size() * sizeof(int))}, scan);
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  in = bench::randomData<int>(options.number("elements", std::size_t(16) << 20));
  bench::Plans plans(options);
  options.done();
  out.resize(in.size());
  const std::vector<bench::Argument> arguments{bench::array(in), bench::array(out)};
  auto planInclusive =
      plans.chosen("scan_inclusive<int>", arguments, inclusive, [] { check("scan", Kind::Inclusive); });
  auto planExclusive =
      plans.chosen("scan_exclusive<int>", arguments, exclusive, [] { check("scan", Kind::Exclusive); });
  candidate("scan_i32/tangram", Kind::Inclusive, planInclusive.picked);
  if (planInclusive.found) candidate("scan_i32/found", Kind::Inclusive, *planInclusive.found);
#ifdef TANGRAM_BENCH_TBB
  candidate("scan_i32/std_inclusive_scan", Kind::Inclusive,
            [] { std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin()); });
  candidate("scan_i32/tbb_parallel_scan", Kind::Inclusive, [] {
    tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, in.size()), 0,
        [](const tbb::blocked_range<std::size_t> &r, int sum, bool final) {
          for (std::size_t i = r.begin(); i < r.end(); ++i) {
            sum += in[i];
            if (final) out[i] = sum;
          }
          return sum;
        },
        [](int a, int b) { return a + b; });
  });
#endif
  candidate("scan_i32/std_sequential", Kind::Inclusive, [] { std::inclusive_scan(in.begin(), in.end(), out.begin()); });
  candidate("exclusive_scan_i32/tangram", Kind::Exclusive, planExclusive.picked);
  if (planExclusive.found) candidate("exclusive_scan_i32/found", Kind::Exclusive, *planExclusive.found);
#ifdef TANGRAM_BENCH_TBB
  candidate("exclusive_scan_i32/std_exclusive_scan", Kind::Exclusive,
            [] { std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), 0); });
#endif
  candidate("exclusive_scan_i32/std_sequential", Kind::Exclusive,
            [] { std::exclusive_scan(in.begin(), in.end(), out.begin(), 0); });
  benchmark::RunSpecifiedBenchmarks();
}
