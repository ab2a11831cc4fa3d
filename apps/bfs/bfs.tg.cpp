// Breadth-first search, a level at a time. The graph is in compressed rows: vertex v has the edges row[v] to row[v + 1],
// and edge e leads to vertex column[e].
#include "../common/fill.tg.h"

// Reaches the vertex at the end of an edge, if nobody has: -1 is the depth of such.
__spectrum void visit_edge(unsigned to, int depth, Array<1, int> depths, Array<1, int> next, Array<1, int> again);

__codelet void visit_edge(unsigned to, int depth, Array<1, int> depths, Array<1, int> next, Array<1, int> again) {
  if (atomicCompareExchange(depths[to], -1, depth) == -1) {
    next[to] = 1;
    atomicOr(again[0], 1);
  }
}

// Visits the edges of a vertex that is active.
__spectrum void visit_vertex(int active, const Array<1, unsigned> edges, int depth, Array<1, int> depths,
                             Array<1, int> next, Array<1, int> again);

__codelet __tag(serial) void visit_vertex(int active, const Array<1, unsigned> edges, int depth, Array<1, int> depths,
                                          Array<1, int> next, Array<1, int> again) {
  if (active != 0)
    for (size_t e = 0; e < edges.size(); ++e)
      visit_edge(edges[e], depth, depths, next, again);
}

// Of the edges to a vertex, one alone finds its depth to be -1, and marks it.
__codelet __independent __tag(edges) void visit_vertex(int active, const Array<1, unsigned> edges, int depth, Array<1, int> depths,
                                         Array<1, int> next, Array<1, int> again) {
  if (active != 0)
    map(visit_edge, edges, depth, depths, next, again);
}

// Visits all vertices that `active` marks. Those that are found get `depth` and a mark in `next`, and again[0] is 1
// where there are any; `next` and `again` come with zeros.
__spectrum void bfs_level(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, int> active,
                          int depth, Array<1, int> depths, Array<1, int> next, Array<1, int> again)
    __requires(row.size() == active.size() + 1) __requires(depths.size() == active.size())
    __requires(next.size() == active.size()) __requires(again.size() == 1) __requires(depth >= 0);

__codelet __independent __tag(vertices) void bfs_level(const Array<1, unsigned> row, const Array<1, unsigned> column,
                                         const Array<1, int> active, int depth, Array<1, int> depths,
                                         Array<1, int> next, Array<1, int> again) {
  size_t n = active.size();
  map(visit_vertex, active, partition(column, n, sequence(row, 0, 1, n), sequence(1), sequence(row, 1, 1, n + 1)), depth,
      depths, next, again);
}

// What was found is active, and nothing is found yet.
__spectrum void advance(Array<1, int> next, Array<1, int> active) __requires(next.size() == active.size());

__codelet __tag(serial) void advance(Array<1, int> next, Array<1, int> active) {
  for (size_t v = 0; v < next.size(); ++v) {
    active[v] = next[v];
    next[v] = 0;
  }
}

__codelet __tag(adjacent) void advance(Array<1, int> next, Array<1, int> active) {
  __tunable unsigned p;
  size_t n = next.size(), tile = (n + p - 1) / p;
  map(advance, partition(next, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(active, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}

__codelet __tag(strided) void advance(Array<1, int> next, Array<1, int> active) {
  __tunable unsigned p;
  size_t n = next.size();
  map(advance, partition(next, p, sequence(0, 1, p), sequence(p), sequence(n)),
      partition(active, p, sequence(0, 1, p), sequence(p), sequence(n)));
}

// The whole search: how many edges lead from `source` to each vertex, -1 where none do.
__spectrum void bfs(const Array<1, unsigned> row, const Array<1, unsigned> column, size_t source, Array<1, int> depths)
    __requires(row.size() == depths.size() + 1);

__codelet __tag(levels) void bfs(const Array<1, unsigned> row, const Array<1, unsigned> column, size_t source,
                                 Array<1, int> depths) {
  size_t n = depths.size();
  fill(-1, depths);
  if (source < n) {
    Array<1, int> active(n), next(n), again(1);
    fill(0, active);
    fill(0, next);
    depths[source] = 0;
    active[source] = 1;
    int depth = 0;
    do {
      again[0] = 0;
      bfs_level(row, column, active, ++depth, depths, next, again);
      advance(next, active);
    } while (again[0] != 0);
  }
}
