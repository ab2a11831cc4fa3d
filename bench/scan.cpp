// Inclusive scan of 16M ints: Tangram, TBB's parallel_scan, the parallel and the sequential standard library.
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

template <class F> void candidate(const char *name, F scan) {
  scan();
  long sum = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    sum += in[i];
    bench::check(name, out[i], static_cast<double>(sum), 0);
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
  candidate("scan_i32/tangram",
            [] { tangram_kernels::scan_inclusive_int(in.data(), in.size(), out.data(), out.size()); });
#ifdef TANGRAM_BENCH_TBB
  candidate("scan_i32/std_inclusive_scan",
            [] { std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin()); });
  candidate("scan_i32/tbb_parallel_scan", [] {
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
  candidate("scan_i32/std_sequential", [] { std::inclusive_scan(in.begin(), in.end(), out.begin()); });
  benchmark::RunSpecifiedBenchmarks();
}
