// The cheapest way down a grid, a row at a time, straight or one column aside (as in Rodinia): what it costs to get to
// each place of the last row.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void pathfinder(const Array<2, int> cost, Array<1, int> result)
    __requires(cost.size(0) > 0 && result.size() == cost.size(1));

__codelet void pathfinder(const Array<2, int> cost, Array<1, int> result) {
  int rows = cost.size(0), columns = cost.size(1);
  Array<1, int> above(columns);
  for (int j = 0; j < columns; ++j) result[j] = cost[0][j];
  for (int i = 1; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) above[j] = result[j];
    for (int j = 0; j < columns; ++j) {
      int least = above[j];
      if (j > 0) least = std::min(least, above[j - 1]);
      if (j < columns - 1) least = std::min(least, above[j + 1]);
      result[j] = least + cost[i][j];
    }
  }
}
