// Breadth-first search of a random graph with the generated kernel, checked against and timed beside a queue.
//   bfs [VERTICES EDGES]     EDGES: of a vertex, on average; default 1000000 6
#include "bfs.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

struct Graph {
  std::vector<unsigned> row{0}, column;
  std::size_t vertices() const { return row.size() - 1; }
};

Graph randomGraph(std::size_t vertices, std::size_t perVertex) {
  Graph g;
  std::mt19937 random{1};
  for (std::size_t v = 0; v < vertices; ++v) {
    for (std::size_t many = random() % (2 * perVertex + 1); many > 0; --many)
      g.column.push_back(static_cast<unsigned>(random() % vertices));
    g.row.push_back(static_cast<unsigned>(g.column.size()));
  }
  return g;
}

/// Depth of each vertex, -1 where none is.
std::vector<int> byQueue(const Graph &g) {
  std::vector<int> depths(g.vertices(), -1);
  std::vector<unsigned> queue;
  if (g.vertices()) {
    queue.push_back(0);
    depths[0] = 0;
  }
  for (std::size_t at = 0; at < queue.size(); ++at) {
    unsigned v = queue[at];
    for (unsigned e = g.row[v]; e < g.row[v + 1]; ++e)
      if (depths[g.column[e]] < 0) {
        depths[g.column[e]] = depths[v] + 1;
        queue.push_back(g.column[e]);
      }
  }
  return depths;
}

std::vector<int> byLevels(const Graph &g, int &levels) {
  std::vector<int> depths(g.vertices(), -1), active(g.vertices(), 0), next(g.vertices(), 0);
  int again = g.vertices() > 0;
  if (again) depths[0] = 0, active[0] = 1;
  for (levels = 0; again; ++levels) {
    again = 0;
    tangram_kernels::bfs_level(g.row.data(), g.row.size(), g.column.data(), g.column.size(), active.data(),
                               active.size(), levels + 1, depths.data(), depths.size(), next.data(), next.size(),
                               &again, 1);
    std::swap(active, next);
    next.assign(next.size(), 0);
  }
  return depths;
}

template <class F> double seconds(F run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char **argv) try {
  auto number = [](const char *text) {
    char *end = nullptr;
    std::size_t value = std::strtoull(text, &end, 10);
    return end == text || *end || *text == '-' ? ~std::size_t(0) : value;
  };
  std::size_t vertices = argc == 3 ? number(argv[1]) : 1000000, edges = argc == 3 ? number(argv[2]) : 6;
  constexpr std::size_t kMost = std::size_t(1) << 30; // positions are 32 bits wide
  if ((argc != 1 && argc != 3) || vertices > kMost || edges > kMost || (vertices && edges > kMost / vertices)) {
    std::fprintf(stderr, "usage: bfs [VERTICES EDGES]\n  EDGES: of a vertex, on average; default: 1000000 6\n");
    return 1;
  }
  Graph g = randomGraph(vertices, edges);
  int levels = 0;
  std::vector<int> found, expected;
  byLevels(g, levels); // the first touches the memory
  double ours = seconds([&] { found = byLevels(g, levels); }), theirs = seconds([&] { expected = byQueue(g); });
  std::size_t reached = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    reached += expected[v] >= 0;
    if (found[v] == expected[v]) continue;
    std::fprintf(stderr, "error: the depth of vertex %zu is %d, expected %d\n", v, found[v], expected[v]);
    return 1;
  }
  auto rate = [&](double time) { return static_cast<double>(g.column.size()) / time / 1e6; };
  std::printf("%zu vertices, %zu edges: %zu reached in %d levels, both agree\n", vertices, g.column.size(), reached,
              levels);
  std::printf("tangram  %8.3f ms  %8.1f million edges/s\n", ours * 1e3, rate(ours));
  std::printf("a queue  %8.3f ms  %8.1f million edges/s\n", theirs * 1e3, rate(theirs));
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
