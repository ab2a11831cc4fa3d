// Breadth-first search of a graph with the generated kernel, checked against and timed beside a queue.
//   bfs [VERTICES EDGES]     a random graph; EDGES: of a vertex, on average; default 1000000 6
//   bfs FILE                 a graph as Rodinia's benchmark has it: how many vertices; first edge and number of
//                            edges of each; the source; how many edges; vertex and weight of each
#include "../common/Graph.h"
#include "../common/Program.h"
#include "bfs.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

using namespace apps;

std::vector<int> byLevels(const Graph &g) {
  std::vector<int> depths(g.vertices());
  tangram_kernels::bfs(g.row.data(), g.row.size(), g.column.data(), g.column.size(), g.source, depths.data(),
                       depths.size());
  return depths;
}

} // namespace

int main(int argc, char **argv) try {
  std::size_t vertices = argc == 3 ? number(argv[1]) : 1000000, edges = argc == 3 ? number(argv[2]) : 6;
  constexpr std::size_t kMost = std::size_t(1) << 30; // positions are 32 bits wide
  if (argc > 3 || vertices > kMost || edges > kMost || (vertices && edges > kMost / vertices)) {
    std::fprintf(stderr, "usage: bfs [VERTICES EDGES]\n       bfs FILE\n"
                         "  EDGES: of a vertex, on average; default: 1000000 6\n  FILE: a graph of Rodinia's\n");
    return 1;
  }
  Graph g = argc == 2 ? readGraph(argv[1]) : randomGraph(vertices, edges, 1);
  std::vector<int> found, expected;
  byLevels(g); // the first touches the memory
  double ours = seconds([&] { found = byLevels(g); }), theirs = seconds([&] { expected = byQueue(g); });
  std::size_t reached = 0;
  int levels = 0;
  for (std::size_t v = 0; v < g.vertices(); ++v) {
    reached += expected[v] >= 0;
    levels = std::max(levels, expected[v] + 1);
    if (found[v] == expected[v]) continue;
    std::fprintf(stderr, "error: the depth of vertex %zu is %d, expected %d\n", v, found[v], expected[v]);
    return 1;
  }
  auto rate = [&](double time) { return static_cast<double>(g.column.size()) / time / 1e6; };
  std::printf("%zu vertices, %zu edges: %zu reached in %d levels, both agree\n", g.vertices(), g.column.size(), reached,
              levels);
  std::printf("tangram  %8.3f ms  %8.1f million edges/s\n", ours * 1e3, rate(ours));
  std::printf("a queue  %8.3f ms  %8.1f million edges/s\n", theirs * 1e3, rate(theirs));
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
