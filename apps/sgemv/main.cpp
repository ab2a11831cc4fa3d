// y = A x with the generated kernel, checked against a loop in double precision.
//   sgemv [ROWS COLUMNS]     default 524288 128
#include "../common/Program.h"
#include "sgemv.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

int main(int argc, char **argv) try {
  std::size_t rows = argc == 3 ? apps::number(argv[1]) : 524288, columns = argc == 3 ? apps::number(argv[2]) : 128;
  constexpr std::size_t kMost = std::size_t(1) << 34;
  if ((argc != 1 && argc != 3) || rows > kMost || columns > kMost || (rows && columns > kMost / rows)) {
    std::fprintf(stderr, "usage: sgemv [ROWS COLUMNS]\n  default: 524288 128\n");
    return 1;
  }
  std::vector<float> a(rows * columns), x(columns), y(rows);
  std::mt19937 random{std::random_device{}()};
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float &value : a) value = uniform(random);
  for (float &value : x) value = uniform(random);

  auto gemv = [&] { tangram_kernels::gemv_float(a.data(), rows, columns, columns, x.data(), columns, y.data(), rows); };
  gemv();
  for (std::size_t i = 0; i < rows; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < columns; ++j) expected += static_cast<double>(a[i * columns + j]) * x[j];
    if (std::abs(y[i] - expected) > 1.2e-7 * 32 * std::sqrt(columns + 1.0)) {
      std::fprintf(stderr, "error: row %zu is %g, expected %g\n", i, y[i], expected);
      return 1;
    }
  }
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) gemv();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 10;
  std::printf("%zu x %zu: correct, %.3f ms, %.2f GB/s\n", rows, columns, seconds * 1e3,
              static_cast<double>(a.size() * sizeof(float)) / seconds / 1e9);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
