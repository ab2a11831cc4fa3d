// Breadth-first search by levels, of a graph like graph1MW_6 (1M vertices, 6 edges each on average; --vertices=N), or
// of a file that --file=FILE or TANGRAM_BENCH_GRAPH names: Tangram, Rodinia's algorithm in OpenMP.
#include "bfs.h"
#include "Bench.h"
#include "Graph.h"
#include "Plans.h"

#include <atomic>
#include <span>
#include <utility>

namespace {

apps::Graph graph;
std::vector<int> depths;
std::vector<char> graphMask, updatingMask, visited;

template <class T> void fill(std::vector<T> &all, T value) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = value;
}

void linked() { tangram_kernels::bfs(graph.row, graph.column, graph.source, depths); }

/// As Rodinia does: one pass over all vertices marks what those of graphMask lead to, a second one makes the marked
/// ones the next graphMask. Several threads may mark one vertex, all with the same: relaxed atomics say so in C++.
void rodinia() {
  fill(depths, -1);
  fill(graphMask, char(0));
  fill(updatingMask, char(0));
  fill(visited, char(0));
  depths[graph.source] = 0;
  graphMask[graph.source] = visited[graph.source] = 1;
  auto n = graph.vertices();
  for (bool again = true; again;) {
#pragma omp parallel for schedule(static)
    for (std::size_t v = 0; v < n; ++v) {
      if (!graphMask[v]) continue;
      graphMask[v] = 0;
      for (unsigned e = graph.row[v]; e < graph.row[v + 1]; ++e) {
        unsigned to = graph.column[e];
        if (visited[to]) continue;
        std::atomic_ref(depths[to]).store(depths[v] + 1, std::memory_order_relaxed);
        std::atomic_ref(updatingMask[to]).store(1, std::memory_order_relaxed);
      }
    }
    again = false;
#pragma omp parallel for schedule(static) reduction(|| : again)
    for (std::size_t v = 0; v < n; ++v) {
      if (!updatingMask[v]) continue;
      graphMask[v] = visited[v] = 1;
      updatingMask[v] = 0;
      again = true;
    }
  }
}

void check(const std::string &name, const std::vector<int> &expected) {
  for (std::size_t v = 0; v < expected.size(); ++v) bench::check(name.c_str(), depths[v], expected[v], 0);
  std::fill(depths.begin(), depths.end(), -2); // whoever comes next computes them by itself
}

template <class F> void candidate(const std::string &name, const std::vector<int> &expected, F search) {
  search();
  check(name, expected);
  auto bytes = (graph.row.size() + graph.column.size() + graph.vertices()) * sizeof(int);
  bench::timed(name, {.bytes = static_cast<double>(bytes)}, search);
}

} // namespace

int main(int argc, char **argv) try {
  bench::Options options(argc, argv);
  std::string file = options.file("file", "TANGRAM_BENCH_GRAPH");
  std::size_t vertices = options.number("vertices", 1000000);
  bench::Plans plans(options);
  options.done();
  constexpr std::size_t kEdges = 6;
  if (vertices > 1 << 26) options.fail(std::to_string(vertices) + " vertices are too many");
  graph = file.empty() ? apps::randomGraph(vertices, kEdges, std::random_device{}()) : apps::readGraph(file.c_str());
  if (graph.vertices() == 0) options.fail(file + " has no vertex");
  const std::string name = bench::caseName("bfs", file);
  depths.resize(graph.vertices());
  for (auto *marks : {&graphMask, &updatingMask, &visited}) marks->resize(graph.vertices());
  auto expected = apps::byQueue(graph);
  std::size_t source = graph.source;
  auto plan = plans.chosen(
      "bfs", {bench::array(graph.row), bench::array(graph.column), bench::scalar(source), bench::array(depths)}, linked,
      [&] { check(name, expected); });
  candidate(name + "/tangram", expected, plan.picked);
  if (plan.found) candidate(name + "/found", expected, *plan.found);
  candidate(name + "/rodinia", expected, rodinia);
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
