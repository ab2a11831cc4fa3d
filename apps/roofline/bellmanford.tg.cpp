// Shortest paths by Bellman and Ford over a list of edges, until nothing changes.
// sizes: from=16777216 dist=1048576
// least: bytes 16*16777216*12; launches 17
#include <tangram/tangram.h>

__spectrum int bellmanford(unsigned source, const Array<1, unsigned> from, const Array<1, unsigned> to,
                           const Array<1, unsigned> weight, Array<1, unsigned> dist)
    __requires(to.size() == from.size() && weight.size() == from.size() && source < dist.size());

__codelet int bellmanford(unsigned source, const Array<1, unsigned> from, const Array<1, unsigned> to,
                          const Array<1, unsigned> weight, Array<1, unsigned> dist) {
  const unsigned INF = 0x7FFFFFFF;
  for (size_t v = 0; v < dist.size(); ++v) dist[v] = v == source ? 0 : INF;
  int rounds = 0;
  bool changed = true;
  while (changed && rounds < 64) {
    changed = false;
    for (size_t e = 0; e < from.size(); ++e) {
      if (dist[from[e]] == INF) continue;
      unsigned d = dist[from[e]] + weight[e];
      if (d < dist[to[e]]) {
        dist[to[e]] = d;
        changed = true;
      }
    }
    ++rounds;
  }
  return rounds;
}
