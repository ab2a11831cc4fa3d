// Which plan is for which sizes, from made-up times.
#include "tangram/tune/Dispatch.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tangram::tune {
namespace {

constexpr double kNever = HUGE_VAL;

/// Of one feature, the size: plan 0 takes 1 us and 10 ns an element, plan 1 20 us and 1 ns.
std::vector<GridTimes> twoPlans(const std::vector<double> &sizes) {
  std::vector<GridTimes> points;
  for (double n : sizes) points.push_back({{n}, {1e-6 + 1e-8 * n, 2e-5 + 1e-9 * n}});
  return points;
}
const double kCross = 1.9e-5 / 9e-9; // 2111 elements

TEST(Bundle, SmallestSetWithinTheTolerance) {
  // Plan 2 is never the fastest, and never more than 4 % behind.
  const std::vector<GridTimes> points{{{1}, {1.0, 9.0, 1.04}}, {{2}, {9.0, 1.0, 1.04}}, {{3}, {1.0, 1.01, 1.0}}};
  EXPECT_EQ(bundle(points, 0), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(bundle(points, 0.03), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(bundle(points, 0.05), (std::vector<std::size_t>{2}));
}

TEST(Bundle, IsExactWhereTakingTheMostIsNot) {
  // Greedily the plan that covers four points would be taken first, and two more would be needed.
  std::vector<GridTimes> points;
  const std::vector<std::vector<std::size_t>> good{{0, 1}, {0, 1}, {0, 2}, {0, 2}, {1}, {2}};
  for (const std::vector<std::size_t> &plans : good) {
    GridTimes point{{0}, {2, 2, 2}};
    for (std::size_t plan : plans) point.seconds[plan] = 1;
    points.push_back(point);
  }
  EXPECT_EQ(bundle(points, 0.05), (std::vector<std::size_t>{1, 2}));
}

TEST(Bundle, OfSetsThatAreAsSmallTheFastest) {
  const std::vector<GridTimes> points{{{1}, {1.04, 1.0}}, {{2}, {1.0, 1.01}}};
  EXPECT_EQ(bundle(points, 0.05), (std::vector<std::size_t>{1}));
  const std::vector<GridTimes> same{{{1}, {1.0, 1.0}}, {{2}, {1.0, 1.0}}};
  EXPECT_EQ(bundle(same, 0.05), (std::vector<std::size_t>{0}));
}

TEST(Bundle, PointsWhereNothingCanBeUsed) {
  const std::vector<GridTimes> points{{{1}, {kNever, kNever}}, {{2}, {kNever, 1.0}}};
  EXPECT_EQ(bundle(points, 0.05), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(bundle({{{1}, {kNever}}}, 0.05).empty());
  EXPECT_TRUE(bundle({}, 0.05).empty());
}

TEST(Dispatch, SwitchesWhereTimesAreTheSame) {
  const DispatchFit fit = fitDispatch(twoPlans({256, 1024, 4096, 16384}), {0, 1}, {true});
  ASSERT_EQ(fit.regions.size(), 2u);
  ASSERT_EQ(fit.regions[0].switches.size(), 1u);
  const Switch &at = fit.regions[0].switches[0];
  EXPECT_EQ(fit.regions[0].plan, 0u);
  EXPECT_EQ(fit.regions[1].plan, 1u);
  EXPECT_TRUE(fit.regions[1].switches.empty());
  EXPECT_EQ(at.below, 1u);
  EXPECT_EQ(at.above, 2u);
  EXPECT_NEAR(at.atMost, kCross, 0.1 * kCross);
  EXPECT_EQ(at.atMost, std::floor(at.atMost));
  EXPECT_DOUBLE_EQ(fit.mean, 1);
  EXPECT_DOUBLE_EQ(fit.worst, 1);
  ASSERT_TRUE(fit.single);
  EXPECT_GT(fit.singleWorst, 2);
  EXPECT_EQ(planAt(fit, {1}), 0u);
  EXPECT_EQ(planAt(fit, {1e9}), 1u);
}

TEST(Dispatch, OrderOfPointsDoesNotMatter) {
  const DispatchFit a = fitDispatch(twoPlans({256, 1024, 4096, 16384}), {0, 1}, {true});
  const DispatchFit b = fitDispatch(twoPlans({16384, 1024, 256, 4096}), {0, 1}, {true});
  ASSERT_EQ(b.regions.size(), 2u);
  EXPECT_EQ(a.regions[0].switches[0].atMost, b.regions[0].switches[0].atMost);
}

TEST(Dispatch, MoreSwitchesThanOne) {
  // Plan 0 is the best of the smallest and the largest.
  std::vector<GridTimes> points;
  for (double n : {1, 2, 4, 8, 16, 32, 64, 128})
    points.push_back({{n}, {n < 4 || n > 32 ? 1.0 : 2.0, n < 4 || n > 32 ? 2.0 : 1.0}});
  const DispatchFit fit = fitDispatch(points, {0, 1}, {true});
  ASSERT_EQ(fit.regions.size(), 3u);
  for (const GridTimes &point : points)
    EXPECT_EQ(planAt(fit, point.features), point.seconds[0] < point.seconds[1] ? 0u : 1u) << point.features[0];
}

TEST(Dispatch, NoiseIsNoReasonToSwitch) {
  std::vector<GridTimes> points;
  for (double n : {1, 2, 4, 8}) points.push_back({{n}, {1.0, n == 2 ? 0.99 : 1.005}});
  EXPECT_EQ(fitDispatch(points, {0, 1}, {true}).regions.size(), 1u);
}

TEST(Dispatch, APlanThatCannotBeUsedIsNotTaken) {
  std::vector<GridTimes> points = twoPlans({256, 1024, 4096});
  points[0].seconds[0] = kNever;
  const DispatchFit fit = fitDispatch(points, {0, 1}, {true});
  for (const GridTimes &point : points)
    EXPECT_TRUE(std::isfinite(point.seconds[planAt(fit, point.features)])) << point.features[0];
  EXPECT_EQ(fit.single, std::optional<std::size_t>(1));
}

TEST(Dispatch, OnlyPlansOfTheBundle) {
  const DispatchFit fit = fitDispatch(twoPlans({256, 16384}), {1}, {true});
  ASSERT_EQ(fit.regions.size(), 1u);
  EXPECT_EQ(fit.regions[0].plan, 1u);
  EXPECT_GT(fit.worst, 1);
}

TEST(Dispatch, SplitsByTheFeatureThatTells) {
  // Rows, elements, and elements of a row: short rows want plan 0, whatever the size.
  std::vector<GridTimes> points;
  for (double rows : {100, 1000, 10000})
    for (double length : {2, 8, 64, 512})
      points.push_back({{rows, rows * length, length}, {length < 32 ? 1.0 : 3.0, length < 32 ? 3.0 : 1.0}});
  const DispatchFit fit = fitDispatch(points, {0, 1}, {true, true, false});
  ASSERT_EQ(fit.regions.size(), 2u);
  EXPECT_EQ(fit.regions[0].switches[0].feature, 2u);
  EXPECT_GT(fit.regions[0].switches[0].atMost, 8);
  EXPECT_LT(fit.regions[0].switches[0].atMost, 64);
  EXPECT_EQ(planAt(fit, {50, 50 * 3, 3}), 0u);
}

TEST(Dispatch, TwoFeaturesWithinEachOther) {
  // Plan 1 where both are large, else plan 0; plan 2 where only the second is.
  std::vector<GridTimes> points;
  for (double a : {1, 10, 100})
    for (double b : {1, 10, 100}) {
      const std::size_t right = a > 5 && b > 5 ? 1 : b > 5 ? 2 : 0;
      GridTimes point{{a, b}, {2, 2, 2}};
      point.seconds[right] = 1;
      points.push_back(point);
    }
  const DispatchFit fit = fitDispatch(points, {0, 1, 2}, {true, true});
  EXPECT_DOUBLE_EQ(fit.worst, 1);
  for (const GridTimes &point : points) EXPECT_EQ(point.seconds[planAt(fit, point.features)], 1);
}

TEST(Dispatch, SizeZeroIsAPoint) {
  const DispatchFit fit = fitDispatch(twoPlans({0, 1000000}), {0, 1}, {true});
  ASSERT_EQ(fit.regions.size(), 2u);
  EXPECT_GE(fit.regions[0].switches[0].atMost, 0);
  EXPECT_LT(fit.regions[0].switches[0].atMost, 1000000);
}

} // namespace
} // namespace tangram::tune
