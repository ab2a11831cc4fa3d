// One level of a breadth-first search. The graph is in compressed rows: vertex v has the edges row[v] to row[v + 1],
// and edge e leads to vertex column[e].
#include <tangram/tangram.h>

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

__codelet __tag(edges) void visit_vertex(int active, const Array<1, unsigned> edges, int depth, Array<1, int> depths,
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

__codelet __tag(vertices) void bfs_level(const Array<1, unsigned> row, const Array<1, unsigned> column,
                                         const Array<1, int> active, int depth, Array<1, int> depths,
                                         Array<1, int> next, Array<1, int> again) {
  size_t n = active.size();
  map(visit_vertex, active, partition(column, n, sequence(row, 0, 1, n), sequence(1), sequence(row, 1, 1, n + 1)), depth,
      depths, next, again);
}
