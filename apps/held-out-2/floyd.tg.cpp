// floyd-warshall of PolyBench: the lengths of the shortest paths between all nodes.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void floyd(Array<2, int> path) __requires(path.size(0) == path.size(1));

__codelet void floyd(Array<2, int> path) {
  size_t n = path.size(0);
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) path[i][j] = std::min(path[i][j], path[i][k] + path[k][j]);
}
