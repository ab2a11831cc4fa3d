// A step of PageRank: each page pulls the shares of those that link to it, which lie in compressed rows. By how much the
// ranks have changed is the result.
#include <cmath>
#include <tangram/tangram.h>

__spectrum float pagerank(float damping, const Array<1, unsigned> row, const Array<1, unsigned> from,
                          const Array<1, unsigned> links, Array<1, float> rank)
    __requires(row.size() == rank.size() + 1 && links.size() == rank.size());

__codelet float pagerank(float damping, const Array<1, unsigned> row, const Array<1, unsigned> from,
                         const Array<1, unsigned> links, Array<1, float> rank) {
  size_t n = rank.size();
  Array<1, float> share(n);
  for (size_t i = 0; i < n; ++i) share[i] = rank[i] / links[i];
  float base = (1 - damping) / n, change = 0;
  for (size_t i = 0; i < n; ++i) {
    float sum = 0;
    for (size_t k = row[i]; k < row[i + 1]; ++k) sum += share[from[k]];
    float old = rank[i];
    rank[i] = base + damping * sum;
    change += std::abs(rank[i] - old);
  }
  return change;
}
