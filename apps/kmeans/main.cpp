// k-means with the generated kernels; each membership is checked against a plain loop in double precision.
//   kmeans [POINTS FEATURES CENTERS]     points around random places; default 100000 34 5
//   kmeans FILE CENTERS                  a text as Rodinia's benchmark has it: a line a point, its number, its features
#include "../common/Points.h"
#include "../common/Program.h"
#include "kmeans.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

using namespace apps;

int main(int argc, char **argv) try {
  PointSizes s;
  if (argc == 4) s = {number(argv[1]), number(argv[2]), number(argv[3])};
  if (argc == 3) s.centers = number(argv[2]);
  constexpr std::size_t kMost = std::size_t(1) << 28;
  bool fits = s.points <= kMost && s.features > 0 && s.features <= 4096 && s.centers > 0 && s.centers <= 65536;
  if ((argc != 1 && argc != 3 && argc != 4) || !fits) {
    std::fprintf(stderr, "usage: kmeans [POINTS FEATURES CENTERS]\n       kmeans FILE CENTERS\n"
                         "  default: 100000 34 5\n  FILE: a line a point, its number and its features\n");
    return 1;
  }
  std::vector<float> points = argc == 3 ? readPoints(argv[1], s) : randomPoints(s, 1);
  std::vector<float> centers(s.centers * s.features), sums(centers.size());
  std::vector<std::size_t> nearest(s.points), before(s.points, s.centers), expected(s.points);
  std::vector<unsigned> counts(s.centers);
  std::vector<double> least(s.points);
  // It starts from points.
  for (std::size_t i = 0; i < centers.size() && s.points; ++i)
    centers[i] = points[i / s.features % s.points * s.features + i % s.features];

  double ours = 0, theirs = 0;
  std::size_t changed = s.points, iterations = 0;
  constexpr std::size_t kMostIterations = 20;
  for (; changed > 0 && iterations < kMostIterations; ++iterations) {
    ours += seconds([&] {
      tangram_kernels::membership_float(points.data(), s.points, s.features, s.features, centers.data(), s.centers,
                                        s.features, s.features, nearest.data(), s.points);
    });
    theirs += seconds([&] { byLoop(s, points, centers, expected, least); });
    changed = 0;
    for (std::size_t p = 0; p < s.points; ++p) {
      // Of two that are about as near, either is right.
      double d = nearest[p] < s.centers
                     ? distance(&points[p * s.features], &centers[nearest[p] * s.features], s.features)
                     : INFINITY;
      if (!(d <= least[p] * (1 + 1.2e-7 * 4 * static_cast<double>(s.features + 2)))) {
        std::fprintf(stderr, "error: point %zu belongs to center %zu, expected %zu\n", p, nearest[p], expected[p]);
        return 1;
      }
      changed += nearest[p] != before[p];
    }
    before = nearest;
    std::fill(sums.begin(), sums.end(), 0.0f);
    std::fill(counts.begin(), counts.end(), 0u);
    tangram_kernels::gather_float(points.data(), s.points, s.features, s.features, nearest.data(), s.points,
                                  sums.data(), s.centers, s.features, s.features, counts.data(), s.centers);
    for (std::size_t i = 0; i < centers.size(); ++i)
      if (counts[i / s.features]) centers[i] = sums[i] / static_cast<float>(counts[i / s.features]);
  }
  double n = static_cast<double>(std::max<std::size_t>(iterations, 1));
  std::printf("%zu points, %zu features, %zu centers: %zu iterations, all correct, %zu points still moved\n", s.points,
              s.features, s.centers, iterations, changed);
  std::printf("membership  tangram %8.3f ms  plain loop %8.3f ms\n", ours / n * 1e3, theirs / n * 1e3);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
