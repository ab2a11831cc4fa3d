// Sums random integers with the generated kernel and with std::reduce, and compares results and times.
//   reduce [COUNT]     COUNT: elements, with suffix K, M or G (times 1024); default 16M
#include "reduce.h"
#include "sum.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

std::optional<std::size_t> parseCount(const char *text) {
  std::size_t count = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), count);
  if (error != std::errc()) return std::nullopt;
  unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (shift) ++end;
  if (*end || count > (std::size_t(1) << 40) >> shift) return std::nullopt;
  return count << shift;
}

template <class F> double medianMilliseconds(F run) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

} // namespace

int main(int argc, char **argv) try {
  std::optional<std::size_t> count = argc > 1 ? parseCount(argv[1]) : std::size_t(16) << 20;
  if (!count || argc > 2) {
    std::fprintf(stderr, "usage: reduce [COUNT]\n  COUNT: how many integers, e.g. 1000, 16M (default)\n");
    return 1;
  }
  std::vector<int> in(*count);
  std::mt19937 random{std::random_device{}()};
  for (int &x : in) x = static_cast<int>(random() % 201) - 100;

  int expected = std::reduce(in.begin(), in.end());
  int sum = tangram_kernels::sum(in.data(), in.size());
  std::printf("sum of %zu integers: %d (std::reduce: %d)\n", in.size(), sum, expected);
  if (sum != expected) {
    std::fprintf(stderr, "error: the kernel and std::reduce disagree\n");
    return 1;
  }
  int largest = tangram_kernels::maximum_int(in.data(), in.size(), -1000000);
  std::size_t least = tangram_kernels::argmin_int(in.data(), in.size());
  std::printf("largest %d, first least at %zu\n", largest, least);

  volatile int sink = 0;
  double ours = medianMilliseconds([&] { sink = tangram_kernels::sum(in.data(), in.size()); });
  double theirs = medianMilliseconds([&] { sink = std::reduce(in.begin(), in.end()); });
  double gigabytes = static_cast<double>(in.size() * sizeof(int)) / 1e9;
  std::printf("tangram      %8.3f ms  %6.2f GB/s\n", ours, gigabytes / ours * 1e3);
  std::printf("std::reduce  %8.3f ms  %6.2f GB/s\n", theirs, gigabytes / theirs * 1e3);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
