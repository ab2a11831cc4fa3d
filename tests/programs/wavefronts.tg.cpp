// Loops of which all depend on the iterations before, in tiles.
#include <algorithm>
#include <tangram/tangram.h>

/// Tiles are skewed: each step waits for the next element of the one before.
__spectrum void smooth(unsigned steps, Array<1, int> a);

__codelet void smooth(unsigned steps, Array<1, int> a) {
  for (unsigned t = 0; t < steps; ++t)
    for (size_t i = 1; i + 1 < a.size(); ++i) a[i] = (a[i - 1] + a[i] + a[i + 1]) / 2;
}

/// What stands in front of the loop, what is only accumulated, variables of an iteration, and a branch.
__spectrum int path(const Array<2, int> cost, Array<2, int> best)
    __requires(best.size(0) == cost.size(0) && best.size(1) == cost.size(1));

__codelet int path(const Array<2, int> cost, Array<2, int> best) {
  int most = 0;
  for (size_t i = 0; i < cost.size(0); ++i)
    for (size_t j = 0; j < cost.size(1); ++j) best[i][j] = cost[i][j];
  for (size_t i = 1; i < cost.size(0); ++i)
    for (size_t j = 0; j < cost.size(1); ++j) {
      int from = best[i - 1][j];
      if (j > 0) from = std::min(from, std::min(best[i - 1][j - 1], best[i][j - 1]));
      best[i][j] = from + cost[i][j];
      most = std::max(most, best[i][j]);
    }
  return most;
}

/// Two statements that wait for each other.
__spectrum void both(Array<2, int> a, Array<2, int> b) __requires(b.size(0) == a.size(0) && b.size(1) == a.size(1));

__codelet void both(Array<2, int> a, Array<2, int> b) {
  for (size_t i = 1; i < a.size(0); ++i)
    for (size_t j = 1; j < a.size(1); ++j) {
      a[i][j] += b[i][j - 1] - a[i - 1][j];
      b[i][j] += a[i][j] / 2;
    }
}

/// Tiles of which some are empty.
__spectrum void corner(Array<2, int> a) __requires(a.size(0) == a.size(1));

__codelet void corner(Array<2, int> a) {
  size_t n = a.size(0);
  for (size_t i = 1; i < n; ++i)
    for (size_t j = i; j < n; ++j) a[i][j] = a[i - 1][j] / 2 + a[i][j - 1] / 2;
}
