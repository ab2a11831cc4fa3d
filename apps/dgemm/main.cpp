// C = A B^T with the generated kernel, checked against and timed beside a plain loop.
//   dgemm [M N K]     A is M x K, B is N x K; default 512 512 512
#include "../common/Program.h"
#include "dgemm.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

struct Sizes {
  std::size_t m = 512, n = 512, k = 512;
};

void plainLoop(const Sizes &s, const std::vector<double> &a, const std::vector<double> &b, std::vector<double> &c) {
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t j = 0; j < s.n; ++j) {
      double accum = 0;
      for (std::size_t l = 0; l < s.k; ++l) accum += a[i * s.k + l] * b[j * s.k + l];
      c[i * s.n + j] = accum;
    }
}

} // namespace

int main(int argc, char **argv) try {
  Sizes s;
  if (argc == 4) s = {apps::number(argv[1]), apps::number(argv[2]), apps::number(argv[3])};
  constexpr std::size_t kMost = 1 << 16; // of one extent
  if ((argc != 1 && argc != 4) || s.m > kMost || s.n > kMost || s.k > kMost) {
    std::fprintf(stderr, "usage: dgemm [M N K]\n  default: 512 512 512\n");
    return 1;
  }
  std::vector<double> a(s.m * s.k), b(s.n * s.k), c(s.m * s.n), expected(s.m * s.n);
  std::mt19937 random{1};
  std::uniform_real_distribution<double> element(-1, 1);
  for (double &value : a) value = element(random);
  for (double &value : b) value = element(random);

  auto gemm = [&] {
    tangram_kernels::gemm_double(a.data(), s.m, s.k, s.k, b.data(), s.n, s.k, s.k, c.data(), s.m, s.n, s.n);
  };
  gemm(); // the first touches the memory
  double ours = apps::seconds(gemm), theirs = apps::seconds([&] { plainLoop(s, a, b, expected); });
  for (std::size_t i = 0; i < c.size(); ++i)
    if (!(std::abs(c[i] - expected[i]) <= 2.2e-16 * 8 * (static_cast<double>(s.k) + 1))) {
      std::fprintf(stderr, "error: element %zu, %zu is %.17g, expected %.17g\n", i / s.n, i % s.n, c[i], expected[i]);
      return 1;
    }
  double flops = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  std::printf("%zu x %zu x %zu: both agree\n", s.m, s.n, s.k);
  std::printf("tangram     %8.3f ms  %6.2f GFLOP/s\n", ours * 1e3, flops / ours / 1e9);
  std::printf("plain loop  %8.3f ms  %6.2f GFLOP/s\n", theirs * 1e3, flops / theirs / 1e9);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
