// What is the most worth that fits a knapsack, of the first items and for each capacity: the table of dynamic
// programming.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void knapsack(const Array<1, unsigned> weight, const Array<1, int> worth, Array<2, int> best)
    __requires(worth.size() == weight.size() && best.size(0) == weight.size() + 1);

__codelet void knapsack(const Array<1, unsigned> weight, const Array<1, int> worth, Array<2, int> best) {
  size_t items = weight.size(), capacities = best.size(1);
  for (size_t c = 0; c < capacities; ++c) best[0][c] = 0;
  for (size_t i = 0; i < items; ++i)
    for (size_t c = 0; c < capacities; ++c) {
      best[i + 1][c] = best[i][c];
      if (c >= weight[i]) best[i + 1][c] = std::max(best[i][c], best[i][c - weight[i]] + worth[i]);
    }
}
