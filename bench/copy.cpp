// The roof: how fast all threads copy memory, --elements=N doubles (256M bytes). A byte read and written counts as two.
#include "Bench.h"

#include <algorithm>
#include <cstring>
#include <omp.h>

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t n = options.number("elements", std::size_t(32) << 20);
  options.done();
  static const auto from = bench::randomData<double>(n);
  static std::vector<double> to(n);
  auto copy = [n] {
#pragma omp parallel
    {
      auto threads = static_cast<std::size_t>(omp_get_num_threads()), tile = (n + threads - 1) / threads;
      std::size_t begin = std::min(n, static_cast<std::size_t>(omp_get_thread_num()) * tile);
      std::memcpy(&to[0] + begin, &from[0] + begin, std::min(tile, n - begin) * sizeof(double));
    }
  };
  copy();
  if (to != from) bench::check("copy", 0, 1, 0);
  bench::timed("copy/memcpy", {.bytes = 2.0 * static_cast<double>(n * sizeof(double))}, copy);
  benchmark::RunSpecifiedBenchmarks();
}
