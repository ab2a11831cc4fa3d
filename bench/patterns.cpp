// A histogram of bytes, softmax of rows, sorted tiles, a transpose, saxpy then squares: Tangram, and careful OpenMP.
// --elements=N (16M) of each.
#include "patterns.h"
#include "Bench.h"
#include "Plans.h"
#include "patterns_openmp.h"

#include <cmath>
#include <limits>
#include <random>

namespace {

std::size_t wide; // rows and columns of a matrix
constexpr float kFactor = 2;

/// A program: ours and the careful one, of the same arguments.
template <class T> struct Problem {
  std::string name, spectrum;
  std::vector<bench::Argument> arguments;
  std::vector<T> &out;           // what is written
  const std::vector<T> expected; // in it
  double bound;                  // by how much it may be off, relatively
  double bytes;                  // that each call moves at least
  std::function<void()> ours, careful;
  std::function<void()> before = [] {}; // a call that is checked
};

/// Searches plans of ours, which must be done before anything uses OpenMP; the result times it and its peer.
template <class T> std::function<void()> problem(const bench::Plans &plans, Problem<T> p) {
  auto check = [p](const std::string &who) {
    for (std::size_t i = 0; i < p.expected.size(); ++i) {
      double wanted = static_cast<double>(p.expected[i]);
      bench::check(who.c_str(), static_cast<double>(p.out[i]), wanted, p.bound * std::abs(wanted));
    }
  };
  bench::Chosen plan = plans.chosen(p.spectrum, p.arguments, p.ours, [&] { check(p.name); });
  return [p, plan, check] {
    auto candidate = [&](const std::string &who, const auto &run) {
      std::fill(p.out.begin(), p.out.end(), T());
      p.before();
      run();
      check(p.name + who);
      bench::timed(p.name + who, {.bytes = p.bytes}, run);
    };
    candidate("/tangram", plan.picked);
    if (plan.found) candidate("/found", *plan.found);
    candidate("/openmp", p.careful);
  };
}

} // namespace

int main(int argc, char **argv) {
  bench::Options options(argc, argv);
  std::size_t n = options.number("elements", std::size_t(16) << 20);
  bench::Plans plans(options);
  options.done();
  wide = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  const double elements = static_cast<double>(n), square = static_cast<double>(wide * wide);
  std::vector<std::function<void()>> problems;

  static std::vector<unsigned char> bytes(n);
  for (std::size_t i = 0; auto x : bench::randomData<int>(n)) bytes[i++] = static_cast<unsigned char>(x);
  static std::vector<unsigned> bins(256);
  std::vector<unsigned> counts(256);
  for (unsigned char b : bytes) ++counts[b];
  problems.push_back(problem<unsigned>(plans, {"histogram",
                                               "histogram",
                                               {bench::array(bytes), bench::array(bins)},
                                               bins,
                                               counts,
                                               0,
                                               elements,
                                               [] { tangram_kernels::histogram(bytes, bins); },
                                               [] { careful::histogram(bytes.data(), bytes.size(), bins.data()); }}));

  static auto matrix = bench::randomData<float>(wide * wide);
  static std::vector<float> out(wide * wide);
  std::vector<float> fractions(wide * wide), across(wide * wide);
  for (std::size_t r = 0; r < wide; ++r) {
    const float *row = &matrix[r * wide];
    double sum = 0, most = *std::max_element(row, row + wide);
    for (std::size_t i = 0; i < wide; ++i) sum += std::exp(row[i] - most);
    for (std::size_t i = 0; i < wide; ++i) {
      fractions[r * wide + i] = static_cast<float>(std::exp(row[i] - most) / sum);
      across[i * wide + r] = row[i];
    }
  }
  auto of = [](const std::vector<float> &m) { return bench::matrix(m, wide, wide); };
  if (!bench::wholeNumbers) // powers of e are none
    problems.push_back(
        problem<float>(plans, {"softmax",
                               "softmax_rows",
                               {of(matrix), of(out)},
                               out,
                               fractions,
                               1e-5,
                               8 * square,
                               [] { tangram_kernels::softmax_rows(matrix.data(), wide, wide, out.data(), wide, wide); },
                               [] { careful::softmaxRows(matrix.data(), out.data(), wide, wide); }}));
  static std::vector<float> turned(wide * wide);
  problems.push_back(
      problem<float>(plans, {"transpose",
                             "transpose",
                             {of(matrix), of(turned)},
                             turned,
                             across,
                             0,
                             8 * square,
                             [] { tangram_kernels::transpose(matrix.data(), wide, wide, turned.data(), wide, wide); },
                             [] { careful::transpose(matrix.data(), turned.data(), wide, wide); }}));

  static std::vector<int> unsorted(n), tiles(n);
  std::mt19937 random{std::random_device{}()};
  for (int &x : unsorted) x = static_cast<int>(random());
  std::vector<int> sorted = unsorted;
  for (std::size_t tile = 0; tile < n; tile += 256) std::sort(&sorted[0] + tile, &sorted[0] + std::min(tile + 256, n));
  problems.push_back(problem<int>(plans, {"sort_tiles",
                                          "sort_tiles",
                                          {bench::array(unsorted), bench::array(tiles)},
                                          tiles,
                                          sorted,
                                          0,
                                          8 * elements,
                                          [] { tangram_kernels::sort_tiles(unsorted, tiles); },
                                          [] { careful::sortTiles(unsorted, tiles); }}));

  static auto x = bench::randomData<float>(n);
  static std::vector<float> y(n), z(n);
  std::vector<float> squares(n);
  for (std::size_t i = 0; i < n; ++i) squares[i] = 2 * x[i] * (2 * x[i]);
  problems.push_back(problem<float>(plans, {"saxpy_squares",
                                            "saxpy_squares",
                                            {bench::scalar(kFactor), bench::array(x), bench::array(y), bench::array(z)},
                                            z,
                                            squares,
                                            1e-6,
                                            16 * elements,
                                            [] { tangram_kernels::saxpy_squares(kFactor, x, y, z); },
                                            [] { careful::saxpySquares(kFactor, x, y, z); },
                                            [] { std::fill(y.begin(), y.end(), 0.0f); }}));

  for (const auto &timeIt : problems) timeIt();
  benchmark::RunSpecifiedBenchmarks();
}
