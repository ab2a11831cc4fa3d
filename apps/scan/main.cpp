// Scans random integers with the generated kernels, checks them against the standard library and times both.
//   scan [COUNT]     COUNT: elements; default 16777216
#include "scan.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

int main(int argc, char **argv) try {
  char *end = nullptr;
  std::size_t count = argc > 1 ? std::strtoull(argv[1], &end, 10) : std::size_t(16) << 20;
  if (argc > 2 || (end && (*end || end == argv[1])) || count > std::size_t(1) << 34) {
    std::fprintf(stderr, "usage: scan [COUNT]\n  COUNT: how many integers (default 16777216)\n");
    return 1;
  }
  std::vector<int> in(count), out(count), expected(count);
  std::mt19937 random{std::random_device{}()};
  for (int &x : in) x = static_cast<int>(random() % 201) - 100;

  auto milliseconds = [](auto run) {
    auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  struct {
    const char *name;
    double ours, theirs;
  } rows[2];
  for (int round = 0; round < 2; ++round) { // the first touches the memory
    rows[0] = {"inclusive",
               milliseconds([&] { tangram_kernels::scan_inclusive_int(in.data(), count, out.data(), count); }),
               milliseconds([&] { std::inclusive_scan(in.begin(), in.end(), expected.begin()); })};
    if (out != expected) throw std::runtime_error("the inclusive scan is wrong");
    rows[1] = {"exclusive",
               milliseconds([&] { tangram_kernels::scan_exclusive_int(in.data(), count, out.data(), count); }),
               milliseconds([&] { std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0); })};
    if (out != expected) throw std::runtime_error("the exclusive scan is wrong");
  }
  std::printf("%zu integers, both agree with the standard library\n", count);
  for (const auto &row : rows) std::printf("%s  tangram %8.3f ms  std %8.3f ms\n", row.name, row.ours, row.theirs);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
