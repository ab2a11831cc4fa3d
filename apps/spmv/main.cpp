// y = A x for a random sparse matrix with the generated kernel, checked against and timed beside a plain loop.
//   spmv [ROWS NONZEROS]     NONZEROS: of a row, on average; default 1000000 16
#include "../common/Program.h"
#include "spmv.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

struct Matrix {
  std::vector<unsigned> row{0}, column;
  std::vector<double> value;
  std::size_t rows() const { return row.size() - 1; }
};

Matrix randomMatrix(std::size_t rows, std::size_t perRow) {
  Matrix m;
  std::mt19937 random{1};
  std::uniform_real_distribution<double> element(-1, 1);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t many = random() % (2 * perRow + 1); many > 0; --many) {
      m.column.push_back(static_cast<unsigned>(random() % rows));
      m.value.push_back(element(random));
    }
    m.row.push_back(static_cast<unsigned>(m.value.size()));
  }
  return m;
}

void plainLoop(const Matrix &m, const std::vector<double> &x, std::vector<double> &y) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    double accum = 0;
    for (unsigned e = m.row[r]; e < m.row[r + 1]; ++e) accum += m.value[e] * x[m.column[e]];
    y[r] = accum;
  }
}

/// The mean of several runs.
template <class F> double mean(F run) {
  constexpr int kRuns = 10;
  run(); // the first touches the memory
  return apps::seconds([&] {
           for (int i = 0; i < kRuns; ++i) run();
         }) /
         kRuns;
}

} // namespace

int main(int argc, char **argv) try {
  std::size_t rows = argc == 3 ? apps::number(argv[1]) : 1000000, perRow = argc == 3 ? apps::number(argv[2]) : 16;
  constexpr std::size_t kMost = std::size_t(1) << 30; // positions are 32 bits wide
  if ((argc != 1 && argc != 3) || rows > kMost || perRow > kMost || (rows && perRow > kMost / rows)) {
    std::fprintf(stderr, "usage: spmv [ROWS NONZEROS]\n  NONZEROS: of a row, on average; default: 1000000 16\n");
    return 1;
  }
  Matrix m = randomMatrix(rows, perRow);
  std::vector<double> x(rows), y(rows), expected(rows);
  std::mt19937 random{2};
  std::uniform_real_distribution<double> element(-1, 1);
  for (double &value : x) value = element(random);

  auto kernel = [&] {
    tangram_kernels::spmv_double(m.row.data(), m.row.size(), m.column.data(), m.column.size(), m.value.data(),
                                 m.value.size(), x.data(), x.size(), y.data(), y.size());
  };
  double ours = mean(kernel), theirs = mean([&] { plainLoop(m, x, expected); });
  for (std::size_t r = 0; r < rows; ++r)
    if (!(std::abs(y[r] - expected[r]) <= 2.2e-16 * 8 * (m.row[r + 1] - m.row[r] + 1.0))) {
      std::fprintf(stderr, "error: row %zu is %.17g, expected %.17g\n", r, y[r], expected[r]);
      return 1;
    }
  // Elements and columns once, row bounds, x and y once.
  double bytes = static_cast<double>(m.value.size() * (sizeof(double) + sizeof(unsigned)) +
                                     rows * (2 * sizeof(double) + sizeof(unsigned)));
  double flops = 2 * static_cast<double>(m.value.size());
  std::printf("%zu x %zu, %zu nonzeros: both agree\n", rows, rows, m.value.size());
  std::printf("tangram     %8.3f ms  %6.2f GFLOP/s  %6.2f GB/s\n", ours * 1e3, flops / ours / 1e9, bytes / ours / 1e9);
  std::printf("plain loop  %8.3f ms  %6.2f GFLOP/s  %6.2f GB/s\n", theirs * 1e3, flops / theirs / 1e9,
              bytes / theirs / 1e9);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
