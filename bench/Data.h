// Fresh random data for benchmarks, and the check of an output before anything is timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <type_traits>
#include <vector>

namespace bench {

/// Whether floats are whole numbers, of which sums and products are exact in any order, so that results must be
/// (--whole).
inline bool wholeNumbers = false;

/// n values: integers in [-100, 100], floats in [-1, 1), or whole so that a float holds sums of products of two.
/// Another seed each run.
template <class T> std::vector<T> randomData(std::size_t n) {
  std::mt19937_64 random{std::random_device{}()};
  std::vector<T> data(n);
  const bool few = n <= 1 << 21;
  const double density = std::min(1.0, 0x1p23 / static_cast<double>(n));
  auto whole = [&](double unit) {
    return few ? std::floor(5 * unit) - 2 : unit >= density ? 0 : 2 * unit < density ? -1 : 1;
  };
  for (T &x : data) {
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    if constexpr (std::is_floating_point_v<T>)
      x = static_cast<T>(wholeNumbers ? whole(unit) : 2 * unit - 1);
    else
      x = static_cast<T>(static_cast<long>(unit * 201) - 100);
  }
  return data;
}

/// Ends the program where `got` is not within `bound` of `expected`, of whole numbers exactly it: nothing wrong is ever
/// timed.
inline void check(const char *what, double got, double expected, double bound) {
  if (wholeNumbers) bound = 0;
  if (std::abs(got - expected) <= bound) return;
  std::fprintf(stderr, "error: %s is wrong: got %.17g, expected %.17g (+- %g)\n", what, got, expected, bound);
  std::_Exit(1); // in a child, too, where what is to be done at the end of the program is not to be done
}

/// Data of a file, where whole numbers are wanted: these in its place.
template <class T> void makeWhole(std::vector<T> &data) {
  if (wholeNumbers) data = randomData<T>(data.size());
}

} // namespace bench
