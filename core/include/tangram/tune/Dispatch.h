// Which of several plans is for which sizes, from times at some of them: the smallest set of plans that is nearly as
// fast as the best everywhere, and where one takes over from another.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tangram::tune {

/// What is known of one point of a grid of sizes.
struct GridTimes {
  std::vector<double> features; // what conditions may speak of, none negative; the same ones at all points
  std::vector<double> seconds;  // of each plan; infinite: it cannot be used there, or nobody knows
};

/// The smallest set of plans of which one is within `tolerance` (0.05: 5 %) of the fastest at each point; of sets of
/// that size the one with the least geometric mean of times; of these the one with the first plans. Points at which no
/// plan can be used do not count. An exact set cover: for some dozens of points and plans.
std::vector<std::size_t> bundle(const std::vector<GridTimes> &points, double tolerance);

/// A feature that is at most so much. `below` and `above`: the points nearest to it, one on each side.
struct Switch {
  std::size_t feature = 0;
  double atMost = 0;
  std::size_t below = 0, above = 0;
};

/// Where all switches hold, and no region before does, its plan is taken. The last has no switches.
struct Region {
  std::vector<Switch> switches;
  std::size_t plan = 0;
};

struct DispatchFit {
  std::vector<Region> regions;
  /// Of times by those of the fastest plan at each point: the geometric mean, and the greatest; for the regions, and
  /// for the one plan that has the least mean where there can be only one (nothing where none can be used everywhere).
  double mean = 1, worst = 1;
  std::optional<std::size_t> single;
  double singleMean = 1, singleWorst = 1;
};

/// Regions of `plans` (indices), found by splitting the points by features: the least sum of logarithms of times, where
/// one more region has to be worth 2 % at one point. Exact for one feature, and as deep as there is time for several.
/// A switch lies between two points where the times of both plans, as they go from one to the other, are the same.
/// `whole`: of each feature, whether it is a whole number.
DispatchFit fitDispatch(const std::vector<GridTimes> &points, const std::vector<std::size_t> &plans,
                        const std::vector<bool> &whole);

/// The plan of the region in which a point lies.
std::size_t planAt(const DispatchFit &fit, const std::vector<double> &features);

} // namespace tangram::tune
