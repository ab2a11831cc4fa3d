// Rodinia's algorithms for k-means' membership and breadth-first search on a GPU: what one thread does. Written after
// their description, and callable on the host, where they are tested.
#pragma once

#include <cfloat>
#include <cstddef>

#ifdef __CUDACC__
#define BENCH_ANYWHERE __host__ __device__
#else
#define BENCH_ANYWHERE
#endif

namespace bench::rodinia {

/// The nearest center of a point. Features lie one after the other, each of all points, so that the threads of a warp
/// read neighbours; centers as they are.
BENCH_ANYWHERE inline int nearest(std::size_t point, std::size_t points, const float *features, std::size_t many,
                                  const float *centers, int howManyCenters) {
  float least = FLT_MAX;
  int index = 0;
  for (int c = 0; c < howManyCenters; ++c) {
    float sum = 0;
    for (std::size_t f = 0; f < many; ++f) {
      float difference = features[f * points + point] - centers[static_cast<std::size_t>(c) * many + f];
      sum += difference * difference;
    }
    if (sum < least) {
      least = sum;
      index = c;
    }
  }
  return index;
}

/// What a search keeps of each vertex.
struct Marks {
  int *depths;
  char *frontier, *updating, *visited;
};

/// The first kernel: a vertex of the frontier leaves it, and marks what it leads to. Several may mark one vertex, all
/// with the same.
BENCH_ANYWHERE inline void expand(std::size_t v, const unsigned *row, const unsigned *column, Marks m) {
  if (!m.frontier[v]) return;
  m.frontier[v] = 0;
  for (unsigned e = row[v]; e < row[v + 1]; ++e) {
    unsigned to = column[e];
    if (m.visited[to]) continue;
    m.depths[to] = m.depths[v] + 1;
    m.updating[to] = 1;
  }
}

/// The second: what is marked is the next frontier, and there is one.
BENCH_ANYWHERE inline void advance(std::size_t v, Marks m, char *again) {
  if (!m.updating[v]) return;
  m.updating[v] = 0;
  m.frontier[v] = m.visited[v] = 1;
  *again = 1;
}

/// Before the first level; all threads but the source's do the same.
BENCH_ANYWHERE inline void start(std::size_t v, std::size_t source, Marks m) {
  bool first = v == source;
  m.depths[v] = first ? 0 : -1;
  m.frontier[v] = m.visited[v] = first;
  m.updating[v] = 0;
}

} // namespace bench::rodinia
