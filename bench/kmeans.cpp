// The assignment step of k-means in single precision, of points like those of kdd_cup (494020 of 34 features, 5
// centers; --points=N), or of a file that --file=FILE or TANGRAM_BENCH_POINTS names: Tangram, Rodinia's algorithm in
// OpenMP.
#include "kmeans.h"
#include "Bench.h"
#include "Plans.h"
#include "Points.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace {

struct Problem {
  apps::PointSizes s;
  std::vector<float> points, centers = std::vector<float>(s.centers * s.features);
  std::vector<std::size_t> nearest = std::vector<std::size_t>(s.points, s.centers), expected = nearest;
  std::vector<double> least = std::vector<double>(s.points);
  std::vector<int> membership = std::vector<int>(s.points, static_cast<int>(s.centers));
};

/// As Rodinia does: the nearest center of a point, a pass over all features for each center, and a point after the
/// other in each thread. Its sums of points are not part of this step.
void rodinia(Problem &p) {
  auto squareOfDistance = [&](const float *a, const float *b) {
    float sum = 0;
    for (std::size_t f = 0; f < p.s.features; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
  };
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < p.s.points; ++i) {
    float least = FLT_MAX;
    int index = 0;
    for (std::size_t c = 0; c < p.s.centers; ++c) {
      float d = squareOfDistance(&p.points[i * p.s.features], &p.centers[c * p.s.features]);
      if (d < least) {
        least = d;
        index = static_cast<int>(c);
      }
    }
    p.membership[i] = index;
  }
}

void linked(Problem &p) {
  tangram_kernels::membership_float(p.points.data(), p.s.points, p.s.features, p.s.features, p.centers.data(),
                                    p.s.centers, p.s.features, p.s.features, p.nearest.data(), p.s.points);
}

template <class T> void check(const std::string &name, const Problem &p, std::vector<T> &found) {
  for (std::size_t i = 0; i < p.s.points; ++i) {
    // Of two that are about as near, either is right.
    auto c = static_cast<std::size_t>(found[i]);
    double d = c < p.s.centers ? apps::distance(&p.points[i * p.s.features], &p.centers[c * p.s.features], p.s.features)
                               : INFINITY;
    double slack = 1.2e-7 * 4 * static_cast<double>(p.s.features + 2) * p.least[i];
    bench::check(name.c_str(), std::max(d, p.least[i]), p.least[i], slack);
    found[i] = static_cast<T>(p.s.centers); // no center
  }
}

template <class T, class F> void candidate(const std::string &name, Problem &p, std::vector<T> &found, F assign) {
  assign();
  check(name, p, found);
  bench::timed(name, {.bytes = static_cast<double>(p.points.size() * sizeof(float) + p.s.points * sizeof(T))}, assign);
}

} // namespace

int main(int argc, char **argv) try {
  bench::Options options(argc, argv);
  std::string file = options.file("file", "TANGRAM_BENCH_POINTS");
  apps::PointSizes s;
  s.points = options.number("points", 494020);
  bench::Plans plans(options);
  options.done();
  if (s.points > 1 << 26) options.fail(std::to_string(s.points) + " points are too many");
  auto points = file.empty() ? apps::randomPoints(s, std::random_device{}()) : apps::readPoints(file.c_str(), s);
  bench::makeWhole(points);
  static Problem p{s, std::move(points)};
  const std::string name = bench::caseName("kmeans", file);
  // It starts from points.
  for (std::size_t i = 0; i < p.centers.size(); ++i)
    p.centers[i] = p.points[i / s.features % s.points * s.features + i % s.features];
  apps::byLoop(p.s, p.points, p.centers, p.expected, p.least);
  auto plan = plans.chosen(
      "membership<float>",
      {bench::matrix(p.points, s.points, s.features), bench::matrix(p.centers, s.centers, s.features),
       bench::array(p.nearest)},
      [] { linked(p); }, [&] { check(name, p, p.nearest); });
  candidate(name + "/tangram", p, p.nearest, plan.picked);
  if (plan.found) candidate(name + "/found", p, p.nearest, *plan.found);
  candidate(name + "/rodinia", p, p.membership, [] { rodinia(p); });
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception &e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
