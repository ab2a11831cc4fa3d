// Which plans stand for a space that is too large to check, how much they do, and how a failing one is made smaller.
#include "../../core/verify/Shrink.h"
#include "SumProgram.h"
#include "tangram/compose/Count.h"
#include "tangram/planning/Derivations.h"
#include "tangram/planning/PredictedCalls.h"

#include <algorithm>
#include <random>

namespace tangram {
namespace {

using namespace test;

bool contains(const PlanNode &node, const std::string &codelet) {
  return (node.rule == Rule::Select && node.codelet == codelet) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](const PlanPtr &child) { return contains(*child, codelet); });
}

double meanComplexity(int plans, const std::function<Plan()> &draw) {
  double all = 0;
  for (int i = 0; i < plans; ++i) all += complexity(*draw().root);
  return all / plans;
}

TEST(Derivations, TheSimplestPlanHasTheFewestRules) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  Plan simplest = derivations.simplest();
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) EXPECT_LE(complexity(*simplest.root), complexity(*forest.sample(random).root));
  EXPECT_TRUE(contains(*simplest.root, "a"));
  EXPECT_EQ(simplest.sources.size(), 1u);
  EXPECT_TRUE(derivations.simpler(simplest).empty());
  EXPECT_TRUE(derivations.peculiar(simplest).empty());
}

TEST(Derivations, ACoverHasEachCodeletThenEachRule) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  std::vector<Plan> cover = derivations.cover();
  EXPECT_LT(cover.size(), 30u);
  PlanRules covered;
  DiagnosticEngine diags;
  std::size_t withCodelets = 0; // until all codelets are there, each plan has a new one
  for (const Plan &plan : cover) {
    checkPlan(plan, *program.module, program.hardware, program.facts, diags);
    PlanRules own = rulesOf(plan);
    bool codelet =
        !std::includes(covered.codelets.begin(), covered.codelets.end(), own.codelets.begin(), own.codelets.end());
    bool rule = !std::includes(covered.rules.begin(), covered.rules.end(), own.rules.begin(), own.rules.end());
    EXPECT_TRUE(codelet || rule) << print(plan);
    if (covered.codelets.size() < 4) withCodelets += codelet;
    covered.add(own);
  }
  EXPECT_EQ(covered.codelets,
            (std::set<std::string>{"codelet a of sum", "codelet b of sum", "codelet c of sum", "codelet d of sum"}));
  EXPECT_EQ(covered.codelets, derivations.rules().codelets);
  EXPECT_EQ(covered.rules, derivations.rules().rules);
  EXPECT_TRUE(covered.rules.count("distribute from process to thread"));
  EXPECT_TRUE(covered.rules.count("codelet c of sum at lane"));
  EXPECT_GE(withCodelets, 3u);
}

TEST(Derivations, DrawsShallowPlansMoreOften) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  std::mt19937_64 random(1);
  double drawn = meanComplexity(300, [&] { return derivations.draw(random); });
  double uniform = meanComplexity(100, [&] { return forest.sample(random); });
  EXPECT_LT(drawn, uniform / 4);
  DiagnosticEngine diags;
  for (int i = 0; i < 50; ++i)
    checkPlan(derivations.draw(random), *program.module, program.hardware, program.facts, diags);
}

TEST(Derivations, MayDrawEachPlan) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  Forest forest = program.forest(3);
  Derivations derivations(forest);
  std::set<std::string> drawn;
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) drawn.insert(key(derivations.draw(random)));
  EXPECT_EQ(drawn.size(), forest.count());
}

// ---- what fails made smaller ----

TEST(SmallestFailing, IsTheSimplestPlanWithTheCodeletThatIsWrong) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  unsigned least = ~0u;
  for (const Plan &plan : derivations.cover())
    if (contains(*plan.root, "d")) least = std::min(least, complexity(*plan.root));
  std::mt19937_64 random(5);
  int tried = 0;
  for (int i = 0; i < 100 && tried < 10; ++i) {
    Plan start = forest.sample(random);
    if (!contains(*start.root, "d")) continue;
    ++tried;
    Plan small = runtime::smallestFailing(
        start, [&](const Plan &plan) { return derivations.simpler(plan); },
        [&](const std::vector<Plan> &plans) {
          std::vector<bool> fails;
          for (const Plan &plan : plans) fails.push_back(contains(*plan.root, "d"));
          return std::optional(fails);
        });
    EXPECT_EQ(complexity(*small.root), least) << print(start) << print(small);
    std::vector<const PlanNode *> peculiar = derivations.peculiar(small);
    ASSERT_EQ(peculiar.size(), 1u);
    EXPECT_EQ(peculiar[0]->codelet, "d");
  }
  EXPECT_EQ(tried, 10);
}

TEST(SmallestFailing, KeepsWhatAFailureNeeds) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  // Only d below c is wrong: neither alone is.
  std::function<bool(const PlanNode &, bool)> wrong = [&](const PlanNode &node, bool below) {
    if (below && node.rule == Rule::Select && node.codelet == "d") return true;
    below |= node.rule == Rule::Select && node.codelet == "c";
    return std::any_of(node.children.begin(), node.children.end(), [&](auto &child) { return wrong(*child, below); });
  };
  std::mt19937_64 random(11);
  Plan start = forest.sample(random);
  while (!wrong(*start.root, false)) start = forest.sample(random);
  Plan small = runtime::smallestFailing(
      start, [&](const Plan &plan) { return derivations.simpler(plan); },
      [&](const std::vector<Plan> &plans) {
        std::vector<bool> fails;
        for (const Plan &plan : plans) fails.push_back(wrong(*plan.root, false));
        return std::optional(fails);
      });
  EXPECT_TRUE(wrong(*small.root, false));
  EXPECT_LE(complexity(*small.root), 16u) << print(small);
  EXPECT_TRUE(contains(*small.root, "c"));
}

TEST(SmallestFailing, EndsWhenTimeIsUp) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(6);
  Derivations derivations(forest);
  std::mt19937_64 random(11);
  Plan start = forest.sample(random);
  Plan same = runtime::smallestFailing(
      start, [&](const Plan &plan) { return derivations.simpler(plan); },
      [](const std::vector<Plan> &) { return std::optional<std::vector<bool>>(); });
  EXPECT_EQ(same, start);
}

// ---- how much a plan does ----

Plan parsed(Program &program, const std::string &text) {
  return parsePlan("plan sum for cpu-simple\n" + text, "plan", program.arena);
}

TEST(PredictedCalls, PartsOfPartsOfNothing) {
  Program program(sumProgram(), cpuSimple());
  ExpectedSizes none{{"in", {0}}};
  auto calls = [&](const std::string &text) {
    return predictedCalls(parsed(program, text), *program.module, program.hardware, none);
  };
  EXPECT_EQ(calls("devolve from process to thread\n  select a at thread\n"), 1);
  // The compound one, its 64 parts, and the sum of their results.
  std::string flat = "select a at thread\n";
  EXPECT_EQ(
      calls("select c at process with p=64\n  distribute to thread\n    " + flat + "  devolve to thread\n    " + flat),
      66);
  // Each part is cut again: 64 times 66 calls.
  std::string inner = "    select c at thread with p=64\n      serialize\n        " + flat + "      " + flat;
  EXPECT_EQ(
      calls("select c at process with p=64\n  distribute to thread\n" + inner + "  devolve to thread\n    " + flat),
      64 * 66 + 2);
}

} // namespace
} // namespace tangram
