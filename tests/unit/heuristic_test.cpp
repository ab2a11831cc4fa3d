// Heuristics: the dissertation's plans as golden tests, k best, enumeration, random draws.
#include "SumProgram.h"
#include "tangram/compose/Count.h"
#include "tangram/planning/PlanCost.h"
#include "tangram/planning/RuleComparison.h"

#include <chrono>
#include <set>

namespace tangram {
namespace {

using namespace test;

std::string parallelismFirst(const Program &program, unsigned depth) {
  Forest forest = program.forest(depth);
  HeuristicContext context;
  std::vector<Plan> plans = program.choose(forest, "parallelism-first", context);
  return plans.size() == 1 ? program.notation(plans[0]) : fmt::format("{} plans", plans.size());
}

TEST(ParallelismFirst, Figure56) {
  Program program(sumProgram(), cpuSimple());
  EXPECT_EQ(parallelismFirst(program, 3), "S_P, regroup(p_c, P), distribute(T), compute(c_a, SE_T), "
                                          "S_P, devolve(T), compute(c_a, SE_T)");
}

TEST(ParallelismFirst, Figure57) {
  Program program(sumProgram(), gpuSimple());
  // The figure writes a plan breadth first; here each part stands where it runs, so the two halves follow each other.
  EXPECT_EQ(parallelismFirst(program, 4),
            "S_G, regroup(p_c, G), distribute(B), "
            "S_B, regroup(p_d, B), distribute(T), compute(c_a, SE_T), compute(c_b, VE_B), "
            "S_G, devolve(B), "
            "S_B, regroup(p_d, B), distribute(T), compute(c_a, SE_T), compute(c_b, VE_B)");
}

TEST(ParallelismFirst, AtTheDefaultDepthItMakesTheSameOfFigure57) {
  Program program(sumProgram(), gpuSimple());
  EXPECT_EQ(parallelismFirst(program, 5), parallelismFirst(program, 4));
}

TEST(ParallelismFirst, ModernCpuUsesEveryLevel) {
  Program program(sumProgram(), cpuModern());
  EXPECT_EQ(
      parallelismFirst(program, 6),
      "S_P, regroup(p_c, P), distribute(T), S_T, regroup(p_d, T), distribute(L), S_L, regroup(p_c, L), "
      "distribute(I), compute(c_a, SE_I), compute(c_a, SE_L), compute(c_b, VE_T), S_P, devolve(T), compute(c_b, VE_T)");
}

TEST(ParallelismFirst, PrefersTheTilingOfTheLevel) {
  hardware::Hardware strided = cpuSimple();
  strided.levels[0].tiling = hardware::Tiling::Strided;
  Program program(sumProgram(), strided);
  EXPECT_EQ(parallelismFirst(program, 3).substr(0, 22), "S_P, regroup(p_d, P), ");
  // Where the level does not care, the first.
  strided.levels[0].tiling = hardware::Tiling::Any;
  Program any(sumProgram(), strided);
  EXPECT_EQ(parallelismFirst(any, 3).substr(0, 22), "S_P, regroup(p_c, P), ");
}

/// scale(in): maps a scalar spectrum over all elements.
std::string elementwise(bool vectorElements) {
  std::string params = "(Param \"in\" array<1,i32> in)", scalar = "(Param \"x\" i32 in)";
  auto all = codelet("each", {fmt::format("(Return {})", map("array<1,i32>", "twice", {kIn}))});
  std::vector<std::string> twice{codelet(
      "a", {fmt::format("(Return {})", bin("i32", "mul", lit("i32", 2), var("i32", "x")))}, false, "", "", scalar)};
  if (vectorElements)
    twice.push_back(codelet("v", {fmt::format("(Return {})", var("i32", "x"))}, true, "", "", scalar));
  return module({spectrum("sum", {all}, "array<1,i32>", params), spectrum("twice", twice, "i32", scalar)});
}

TEST(ParallelismFirst, SplitsAMapWhoseElementsHaveNoParallelism) {
  Program program(elementwise(false), gpuSimple());
  EXPECT_EQ(parallelismFirst(program, 4), "split(1024, G), distribute(B), distribute(T), compute(c_twice.a, SE_T)");
  Program vector(elementwise(true), gpuSimple());
  EXPECT_EQ(parallelismFirst(vector, 4), "distribute(B), compute(c_twice.v, VE_B)");
  // One level below: nothing to split for.
  Program cpu(elementwise(false), cpuSimple());
  EXPECT_EQ(parallelismFirst(cpu, 4), "distribute(T), compute(c_twice.a, SE_T)");
}

/// f(in): g of each tile and a number that goes with it, then f of the results; g has nothing but scalar code.
std::string tilesAndNumbers() {
  std::string p = var("u32", "p"), len = var("u32", "len"), one = lit("u32", 1);
  std::string parts =
      partition("array<1,i32>", kIn, p, sequence(lit("u32", 0), one, p), sequence(p), sequence(len, one, len));
  auto tiles = codelet(
      "c",
      {tunable("p"), declare("u32", "len", cast("u32", size(kIn))),
       fmt::format("(Declare \"x\" array<1,i32> false false [{}] - -)", p),
       fmt::format("(Return {})", call("i32", "sum", {map("array<1,i32>", "g", {parts, var("array<1,i32>", "x")})}))});
  std::string both = "(Param \"in\" array<1,i32> in) (Param \"x\" i32 in)";
  auto g = codelet("a", {fmt::format("(Return {})", var("i32", "x"))}, false, "", "", both);
  return module({spectrum("sum", {serialSum(), tiles}), spectrum("g", {g}, "i32", both)});
}

TEST(ParallelismFirst, DoesNotDistributeFurtherThanThereIsWork) {
  // Numbers that are mapped along with the tiles are no work of their own: four results are not spread over four
  // threads again.
  Program cpu(tilesAndNumbers(), cpuSimple());
  EXPECT_EQ(parallelismFirst(cpu, 5),
            "S_P, regroup(p_c, P), distribute(T), compute(c_g.a, SE_T), S_P, devolve(T), compute(c_a, SE_T)");
  // One tile a thread: to split them into chunks of one would bring the lanes nothing.
  Program modern(tilesAndNumbers(), cpuModern());
  EXPECT_EQ(parallelismFirst(modern, 3),
            "S_P, regroup(p_c, P), distribute(T), compute(c_g.a, SE_T), S_P, devolve(T), compute(c_a, SE_T)");
}

TEST(ParallelismFirst, LooksThroughCodeletsThatOnlyCall) {
  // mean: by way of sum, or by itself.
  auto viaSum = codelet("via", {fmt::format("(Return {})", call("i32", "sum", {kIn}))});
  Program program(
      module({spectrum("sum", {serialSum(), tiledSum("c", false)}), spectrum("mean", {serialSum(), viaSum})}),
      cpuSimple());
  Forest forest = program.forest(4, "mean");
  HeuristicContext context;
  EXPECT_EQ(program.notation(program.choose(forest, "parallelism-first", context).at(0)),
            "S_P, regroup(p_sum.c, P), distribute(T), compute(c_sum.a, SE_T), S_P, devolve(T), compute(c_sum.a, SE_T)");
}

TEST(ParallelismFirst, SaysWhatWasPrunedAgainstWhat) {
  Program program(sumProgram(), cpuSimple());
  Forest forest = program.forest(3);
  HeuristicContext context;
  program.choose(forest, "parallelism-first", context);
  std::vector<std::string> reasons;
  for (const Pruning &p : context.prunings)
    if (p.point == forest.root()) reasons.push_back(p.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{
                "select c was preferred in iteration 1 of 3: the tiling of codelet 'c' suits level 'process', that of "
                "codelet 'd' does not",
                "select c was preferred in iteration 1 of 3: codelet 'c' distributes work, 'devolve' does not"}));
}

TEST(ParallelismFirst, SeveralPlansBestFirst) {
  Program program(sumProgram(), gpuSimple());
  Forest forest = program.forest(4);
  HeuristicContext one, many;
  many.wanted = 20;
  std::vector<Plan> plans = program.choose(forest, "parallelism-first", many);
  ASSERT_EQ(plans.size(), 20u);
  EXPECT_EQ(plans[0], program.choose(forest, "parallelism-first", one)[0]);
  std::set<std::string> keys;
  for (const Plan &plan : plans) keys.insert(key(plan));
  EXPECT_EQ(keys.size(), plans.size());
  HeuristicContext all;
  all.wanted = 1000;
  Program small(sumProgram(true, true, true, false), blockAndThreads());
  EXPECT_EQ(small.choose(small.forest(3), "parallelism-first", all).size(), 23u);
  HeuristicContext none;
  none.wanted = 0;
  EXPECT_TRUE(program.choose(forest, "parallelism-first", none).empty());
}

TEST(ParallelismFirst, PlansInTime) {
  Program program(sumProgram(), cpuModern());
  auto start = std::chrono::steady_clock::now();
  parallelismFirst(program, 6);
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("ms", fmt::format("{:.2f}", ms));
  EXPECT_LT(ms, 500); // measured: under 2 ms; ten times slower sanitizers and busy machines are no failure
}

TEST(Exhaustive, ListsAllUpToItsLimit) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  Forest forest = program.forest(3);
  HeuristicContext context;
  context.wanted = 1000;
  std::vector<Plan> plans = program.choose(forest, "exhaustive", context);
  ASSERT_EQ(plans.size(), 124u);
  for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(plans[i], forest.nth(i));
  OptionValues options;
  options.set("limit", std::int64_t{5});
  EXPECT_EQ(program.choose(forest, "exhaustive", context, options).size(), 5u);
  context.wanted = 2;
  EXPECT_EQ(program.choose(forest, "exhaustive", context, options).size(), 2u);
  context.wanted = 10;
  EXPECT_TRUE(program.choose(program.forest(1), "exhaustive", context).empty());
}

TEST(Random, DrawsDifferentPlansBySeed) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  Forest forest = program.forest(3);
  HeuristicContext context;
  context.wanted = 10;
  context.seed = 4;
  std::vector<Plan> plans = program.choose(forest, "random", context);
  EXPECT_EQ(plans, program.choose(forest, "random", context));
  std::set<std::string> keys;
  for (const Plan &plan : plans) keys.insert(key(plan));
  EXPECT_EQ(keys.size(), 10u);
  context.seed = 5;
  EXPECT_NE(plans, program.choose(forest, "random", context));
  context.wanted = 1000;
  EXPECT_EQ(program.choose(forest, "random", context).size(), 124u);
  EXPECT_TRUE(program.choose(program.forest(1), "random", context).empty());

  // The first and the last of five are each uniform.
  std::map<std::string, int> first, last;
  context.wanted = 5;
  constexpr int kDraws = 24800;
  for (int i = 0; i < kDraws; ++i) {
    context.seed = static_cast<std::uint64_t>(1000 + i);
    std::vector<Plan> drawn = program.choose(forest, "random", context);
    ++first[key(drawn.front())];
    ++last[key(drawn.back())];
  }
  for (const auto *counts : {&first, &last}) {
    double expected = kDraws / 124.0, chi2 = 0;
    for (const auto &[plan, n] : *counts) chi2 += (n - expected) * (n - expected) / expected;
    EXPECT_EQ(counts->size(), 124u);
    EXPECT_LT(chi2, 178); // 123 degrees of freedom, p = 0.001
  }
}

/// Form (b): the fewest rules, for want of a better cost.
class FewestRules final : public PlanCost {
  double cost(const Forest &, const Point &, const Alternative &) const override { return 1; }
};

TEST(PlanCost, KBestByAnAdditiveCost) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  Forest forest = program.forest(3);
  HeuristicContext context;
  context.wanted = 4;
  std::vector<Plan> plans = FewestRules().choose(forest, context);
  ASSERT_EQ(plans.size(), 4u);
  EXPECT_EQ(program.notation(plans[0]), "S_B, devolve(T), compute(c_a, SE_T)");
  EXPECT_EQ(program.notation(plans[1]),
            "compute(c_b, VE_B) if in.size() <= coopDim() else (S_B, devolve(T), compute(c_a, SE_T))");
  EXPECT_EQ(program.notation(plans[2]), "S_B, regroup(p_c, B), distribute(T), compute(c_a, SE_T), compute(c_b, VE_B)");
}

/// A comparison that goes round in circles must not hang or crash the search.
class Circular final : public RuleComparison {
  std::string prefer(const Forest &, const SizedPoint &, const Alternative &a, const Alternative &b, unsigned,
                     unsigned) const override {
    return (a.codelet != b.codelet || a.rule != b.rule) ? "always" : "";
  }
};

TEST(RuleComparison, SurvivesAComparisonThatIsNoOrder) {
  Program program(sumProgram(), gpuSimple());
  Forest forest = program.forest(4);
  HeuristicContext context;
  context.wanted = 3;
  EXPECT_EQ(Circular().choose(forest, context).size(), 3u);
}

} // namespace
} // namespace tangram
