// Points for k-means, random or from a file, and the nearest center of each in double precision: what the program and
// the benchmark start from and compare with.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace apps {

struct PointSizes {
  std::size_t points = 100000, features = 34, centers = 5;
};

/// The points of a file, one behind the other.
inline std::vector<float> readPoints(const char *path, PointSizes &s) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + " cannot be read");
  std::vector<float> points;
  s.points = s.features = 0;
  int strange = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string number;
    if (!(words >> number)) continue;
    std::size_t before = points.size();
    std::string place = "line " + std::to_string(s.points + 1) + " of " + path;
    for (std::string word; words >> word;) {
      char *end = nullptr;
      points.push_back(std::strtof(word.c_str(), &end));
      if (*end == '\0') continue;
      // The published kdd_cup has a line with some.
      if (++strange > 10) throw std::runtime_error(place + " and lines before have words that are not numbers");
      points.back() = 0;
      std::fprintf(stderr, "warning: %s: '%s' is not a number and counts as 0, as for Rodinia\n", place.c_str(),
                   word.c_str());
    }
    std::size_t features = points.size() - before;
    if (features == 0) throw std::runtime_error(place + " is not a number and features");
    if (s.points > 0 && features != s.features) throw std::runtime_error(place + " has another number of features");
    s.features = features;
    ++s.points;
  }
  if (s.points == 0) throw std::runtime_error(std::string(path) + " has no point");
  return points;
}

inline std::vector<float> randomPoints(const PointSizes &s, unsigned seed) {
  std::vector<float> points(s.points * s.features), centers(s.centers * s.features);
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> place(-1, 1);
  std::normal_distribution<float> around(0, 0.3f);
  for (float &value : centers) value = place(random);
  for (std::size_t p = 0; p < s.points; ++p)
    for (std::size_t f = 0, c = random() % s.centers; f < s.features; ++f)
      points[p * s.features + f] = centers[c * s.features + f] + around(random);
  return points;
}

inline double distance(const float *a, const float *b, std::size_t features) {
  double sum = 0;
  for (std::size_t f = 0; f < features; ++f)
    sum += (static_cast<double>(a[f]) - b[f]) * (static_cast<double>(a[f]) - b[f]);
  return sum;
}

/// The nearest center of each point, and how far it is.
inline void byLoop(const PointSizes &s, const std::vector<float> &points, const std::vector<float> &centers,
                   std::vector<std::size_t> &nearest, std::vector<double> &least) {
  for (std::size_t p = 0; p < s.points; ++p) {
    nearest[p] = 0;
    for (std::size_t c = 0; c < s.centers; ++c) {
      double d = distance(&points[p * s.features], &centers[c * s.features], s.features);
      if (c > 0 && d >= least[p]) continue;
      nearest[p] = c;
      least[p] = d;
    }
  }
}

} // namespace apps
