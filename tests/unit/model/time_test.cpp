// Times of plans: what is picked of `sum`, and that no plan is better than the best by dynamic programming.
#include "Time.h"

#include "SumProgram.h"

namespace tangram::model {
namespace {

using namespace test;

Forest sized(const Program &program, unsigned depth, std::uint64_t elements) {
  return Forest(*program.module, program.hardware, program.facts, "sum", depth, {{"in", {elements}}});
}

/// Of a plan, added up along it.
double seconds(const Time &time, const Forest &forest, const PlanNode &node, GoalId id, Cost::Surroundings around) {
  const Point &point = forest.point(id);
  const Alternative &alternative = point.alternatives[find(point, node).value()];
  std::vector<double> parts;
  for (std::size_t i = 0; i < alternative.children.size(); ++i)
    parts.push_back(
        seconds(time, forest, *node.children[i], alternative.children[i], time.below(point, alternative, i, around)));
  return time.of(point, alternative, around).total(parts);
}
double seconds(const Time &time, const Forest &forest, const Plan &plan) {
  return seconds(time, forest, *plan.root, forest.root(), 0);
}

TEST(Time, NoPlanIsBetterThanTheBest) {
  const Program program(sumProgram(), cpuSimple());
  const Forest forest = sized(program, 3, 1 << 20);
  const Time time(forest);
  const std::vector<Plan> best = bestPlans(forest, 10, time);
  ASSERT_FALSE(best.empty());
  double before = 0;
  for (const Plan &plan : best) {
    EXPECT_LE(before, seconds(time, forest, plan));
    before = seconds(time, forest, plan);
  }
  const double least = seconds(time, forest, best.front());
  EXPECT_GT(least, 0);
  std::size_t plans = 0;
  forest.enumerate([&](const Plan &plan) {
    EXPECT_GE(seconds(time, forest, plan), least) << print(plan);
    return ++plans < 2000;
  });
  EXPECT_GT(plans, 10u);
}

TEST(Time, MuchWorkIsDividedLittleIsNot) {
  const Program program(sumProgram(true, true, true, false), cpuSimple());
  auto picked = [&](std::uint64_t elements) {
    const Forest forest = sized(program, 3, elements);
    return print(bestPlans(forest, 1, Time(forest)).at(0));
  };
  EXPECT_NE(picked(1 << 26).find("select c at process"), std::string::npos) << picked(1 << 26);
  EXPECT_EQ(picked(4).find("select c at process"), std::string::npos) << picked(4);
}

TEST(Time, TwiceTheWorkTakesLonger) {
  const Program program(sumProgram(), gpuSimple());
  double before = 0;
  for (unsigned bits : {10u, 16u, 22u, 28u}) {
    const Forest forest = sized(program, 4, std::uint64_t{1} << bits);
    const Time time(forest);
    const double now = seconds(time, forest, bestPlans(forest, 1, time).at(0));
    EXPECT_GE(now, before) << bits;
    before = now;
  }
}

TEST(Model, PicksWithoutSizesToo) {
  const Program program(sumProgram(true, true, true, false), gpuSimple());
  const Forest forest = program.forest(4);
  HeuristicContext context;
  context.wanted = 3;
  const std::vector<Plan> plans = program.choose(forest, "model", context);
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_NE(print(plans[0]), print(plans[1]));
  EXPECT_NE(print(plans[0]).find("distribute to block"), std::string::npos) << print(plans[0]);
}

} // namespace
} // namespace tangram::model
