// A graph in compressed rows, random or from a file, and its breadth-first search by a queue: what the program and the
// benchmark of bfs start from and compare with.
#pragma once

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace apps {

struct Graph {
  std::vector<unsigned> row{0}, column;
  unsigned source = 0;
  std::size_t vertices() const { return row.size() - 1; }
};

/// As Rodinia makes them: from each vertex edges to others at random, 1 to perVertex - 1 of them (0 or 1 where that is
/// none), and each of them back, so that a vertex has perVertex on average.
inline Graph randomGraph(std::size_t vertices, std::size_t perVertex, unsigned seed) {
  std::mt19937 random{seed};
  std::size_t least = perVertex > 1, most = std::max<std::size_t>(perVertex, 2) - 1;
  std::vector<unsigned> ends; // of each edge, two
  Graph g;
  g.row.assign(vertices + 1, 0);
  for (std::size_t v = 0; v < vertices && perVertex; ++v)
    for (std::size_t many = least + random() % (most - least + 1); many > 0; --many)
      for (std::size_t end : {v, random() % vertices}) {
        ends.push_back(static_cast<unsigned>(end));
        ++g.row[end + 1];
      }
  std::partial_sum(g.row.begin(), g.row.end(), g.row.begin());
  g.column.resize(ends.size());
  std::vector<unsigned> next(g.row.begin(), g.row.end() - 1);
  for (std::size_t e = 0; e < ends.size(); ++e) g.column[next[ends[e]]++] = ends[e ^ 1];
  return g;
}

/// A graph as Rodinia's benchmark has it.
inline Graph readGraph(const char *path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + " cannot be read");
  std::size_t vertices = 0, source = 0, edges = 0, total = 0;
  if (!(in >> vertices)) throw std::runtime_error(std::string(path) + " is no graph: the first number is missing");
  Graph g;
  for (std::size_t v = 0, first = 0, many = 0; v < vertices; ++v) {
    if (!(in >> first >> many)) throw std::runtime_error("the file ends in vertex " + std::to_string(v));
    if (first != total)
      throw std::runtime_error("edges of vertex " + std::to_string(v) + " do not follow its neighbour's");
    total += many;
    if (total > ~0u) throw std::runtime_error("there are more edges than 32 bits count");
    g.row.push_back(static_cast<unsigned>(total));
  }
  if (!(in >> source >> edges) || source >= std::max<std::size_t>(vertices, 1) || edges != total)
    throw std::runtime_error("source and number of edges do not fit the vertices");
  g.source = static_cast<unsigned>(source);
  for (std::size_t e = 0, to = 0, weight = 0; e < edges; ++e) {
    if (!(in >> to >> weight) || to >= vertices)
      throw std::runtime_error("edge " + std::to_string(e) + " is missing, or leads to no vertex");
    g.column.push_back(static_cast<unsigned>(to));
  }
  return g;
}

/// Depth of each vertex, -1 where none is.
inline std::vector<int> byQueue(const Graph &g) {
  std::vector<int> depths(g.vertices(), -1);
  std::vector<unsigned> queue;
  if (g.vertices()) {
    queue.push_back(g.source);
    depths[g.source] = 0;
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

} // namespace apps
