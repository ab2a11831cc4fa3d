// Inclusive and exclusive scan of 16M ints: Tangram, TBB's parallel_scan, the parallel and the sequential standard
// library.
#include "scan.h"
#include "Data.h"

#include <benchmark/benchmark.h>
#include <execution>
#include <numeric>
#ifdef TANGRAM_BENCH_TBB
#include <tbb/parallel_scan.h>
#endif

namespace {

constexpr std::size_t kElements = std::size_t(16) << 20;
const std::vector<int> in = bench::randomData<int>(kElements);
std::vector<int> out(kElements);

enum class Kind { Inclusive, Exclusive };

template <class F> void candidate(const char *name, Kind kind, F scan) {
  scan();
  long sum = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    long before = sum;
    sum += in[i];
    bench::check(name, out[i], static_cast<double>(kind == Kind::Inclusive ? sum : before), 0);
    out[i] = 0;
  }
  benchmark::RegisterBenchmark(name,
                               [scan](benchmark::State &state) {
                                 for (auto _ : state) {
                                   scan();
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetBytesProcessed(int64_t(state.iterations() * 2 * kElements * sizeof(int)));
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  candidate("scan_i32/tangram", Kind::Inclusive,
            [] { tangram_kernels::scan_inclusive_int(in.data(), in.size(), out.data(), out.size()); });
#ifdef TANGRAM_BENCH_TBB
  candidate("scan_i32/std_inclusive_scan", Kind::Inclusive,
            [] { std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin()); });
  candidate("scan_i32/tbb_parallel_scan", Kind::Inclusive, [] {
    tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, kElements), 0,
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
  candidate("exclusive_scan_i32/tangram", Kind::Exclusive,
            [] { tangram_kernels::scan_exclusive_int(in.data(), in.size(), out.data(), out.size()); });
#ifdef TANGRAM_BENCH_TBB
  candidate("exclusive_scan_i32/std_exclusive_scan", Kind::Exclusive,
            [] { std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), 0); });
#endif
  candidate("exclusive_scan_i32/std_sequential", Kind::Exclusive,
            [] { std::exclusive_scan(in.begin(), in.end(), out.begin(), 0); });
  benchmark::RunSpecifiedBenchmarks();
}
