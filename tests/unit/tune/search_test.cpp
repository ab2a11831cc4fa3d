// Which plans a tuner tries: variations of plans are plans, and the search finds the fast ones.
#include "SumProgram.h"
#include "tangram/compose/Count.h"
#include "tangram/planning/Derivations.h"
#include "tangram/planning/EvolutionarySearch.h"
#include "tangram/planning/Variation.h"

#include <algorithm>
#include <set>

namespace tangram::tune {
namespace {

using namespace test;

/// How many nodes of two plans differ, by their place.
std::size_t nodes(const PlanNode &node) {
  std::size_t all = 1;
  for (const PlanPtr &child : node.children) all += nodes(*child);
  return all;
}

class Tune : public testing::Test {
protected:
  Program program_{sumProgram(), cpuModern()};
  Forest forest_ = program_.forest(6);
  std::mt19937_64 random_{7};

  void expectValid(const Plan &plan) {
    DiagnosticEngine diags;
    EXPECT_NO_THROW(checkPlan(plan, *program_.module, program_.hardware, program_.facts, diags)) << print(plan);
    EXPECT_FALSE(diags.hasErrors());
  }
};

TEST_F(Tune, MutantsArePlansOfTheForest) {
  const Variation variation(forest_);
  std::size_t changed = 0;
  for (int i = 0; i < 500; ++i) {
    Plan plan = variation.draw(random_);
    Plan mutant = variation.mutate(plan, random_);
    expectValid(mutant);
    EXPECT_EQ(mutant.spectrum, plan.spectrum);
    changed += key(mutant) != key(plan);
  }
  EXPECT_GT(changed, 480u);
}

TEST_F(Tune, AMutantKeepsMostOfItsParent) {
  const Variation variation(forest_);
  std::size_t same = 0, all = 0;
  for (int i = 0; i < 300; ++i) {
    Plan plan = variation.draw(random_);
    if (nodes(*plan.root) < 4) continue;
    // The first line and the last ones are at least as often what they were as not.
    Plan mutant = variation.mutate(plan, random_);
    std::set<std::string> before, after;
    std::istringstream one(print(plan)), other(print(mutant));
    for (std::string line; std::getline(one, line);) before.insert(line);
    for (std::string line; std::getline(other, line);) after.insert(line);
    for (const std::string &line : before) same += after.count(line);
    all += before.size();
  }
  EXPECT_GT(2 * same, all);
}

TEST_F(Tune, CrossingsArePlansWithPartsOfBoth) {
  const Variation variation(forest_);
  std::size_t changed = 0;
  for (int i = 0; i < 500; ++i) {
    Plan one = variation.draw(random_), other = variation.draw(random_);
    Plan child = variation.cross(one, other, random_);
    expectValid(child);
    changed += key(child) != key(one);
  }
  EXPECT_GT(changed, 400u);
  // With itself there is nothing to take from elsewhere but its own parts.
  Plan simple = Derivations(forest_).simplest();
  EXPECT_EQ(key(variation.cross(simple, simple, random_)), key(simple));
}

TEST_F(Tune, NoPlanIsGivenTwiceAndSuggestionsComeFirst) {
  EvolutionarySearch search(forest_, "somewhere", 1);
  Plan suggested = Derivations(forest_).draw(random_);
  search.suggest(suggested);
  search.suggest(suggested);
  std::set<std::string> seen;
  for (int round = 0; round < 20; ++round)
    for (const Plan &plan : search.next(10)) {
      if (seen.empty()) {
        EXPECT_TRUE(*plan.root == *suggested.root);
      }
      EXPECT_TRUE(seen.insert(key(plan)).second);
      EXPECT_EQ(plan.target, "somewhere");
      expectValid(plan);
      search.tell(plan, 1.0);
    }
  EXPECT_EQ(seen.size(), 200u);
}

/// Says that plans with codelet c at the top are fast, the faster the less complex.
double pretended(const Plan &plan) {
  double seconds = 1 + 0.01 * complexity(*plan.root);
  return plan.root->codelet == "c" ? seconds / 10 : seconds;
}

std::vector<std::string> run(const Forest &forest, std::uint64_t seed, int rounds, double &best, std::size_t &at) {
  EvolutionarySearch search(forest, "here", seed);
  std::vector<std::string> order;
  best = 1e9;
  for (int round = 0; round < rounds; ++round)
    for (const Plan &plan : search.next(8)) {
      order.push_back(key(plan));
      search.tell(plan, pretended(plan));
      if (pretended(plan) < best) {
        best = pretended(plan);
        at = order.size();
      }
    }
  return order;
}

TEST_F(Tune, TheSameSeedAndTimesGiveTheSamePlans) {
  double best = 0;
  std::size_t at = 0;
  std::vector<std::string> one = run(forest_, 3, 10, best, at);
  EXPECT_EQ(one, run(forest_, 3, 10, best, at));
  EXPECT_NE(one, run(forest_, 4, 10, best, at));
}

TEST_F(Tune, ItFindsFasterPlansThanAsManyDraws) {
  double found = 0, drawn = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    double best = 0;
    std::size_t at = 0;
    std::size_t tried = run(forest_, seed, 15, best, at).size();
    found += best;
    const Variation variation(forest_);
    std::mt19937_64 random(seed);
    double least = 1e9;
    for (std::size_t i = 0; i < tried; ++i) least = std::min(least, pretended(variation.draw(random)));
    drawn += least;
  }
  EXPECT_LE(found, drawn);
}

TEST_F(Tune, WhatCannotBeUsedHasNoOffspring) {
  // Plans whose first codelet is d fail: fewer of what is made begin with it than of what is drawn.
  auto bad = [](const Plan &plan) { return plan.root->codelet == "d"; };
  std::size_t made = 0, drawn = 0, all = 0;
  const Variation variation(forest_);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EvolutionarySearch search(forest_, "here", seed);
    for (int round = 0; round < 20; ++round)
      for (const Plan &plan : search.next(8)) {
        ++all;
        made += bad(plan);
        search.tell(plan, bad(plan) ? std::nullopt : std::optional(pretended(plan)));
      }
  }
  for (std::size_t i = 0; i < all; ++i) drawn += bad(variation.draw(random_));
  EXPECT_LT(2 * made, drawn) << drawn << " of " << all;
}

TEST_F(Tune, ASmallSpaceIsTriedToItsEnd) {
  Program program(sumProgram(), cpuSimple());
  Forest forest = program.forest(3);
  ASSERT_LT(forest.count(), 2000);
  EvolutionarySearch search(forest, "here", 1);
  std::set<std::string> seen;
  for (std::vector<Plan> plans; !(plans = search.next(50)).empty();)
    for (const Plan &plan : plans) {
      EXPECT_TRUE(seen.insert(key(plan)).second);
      search.tell(plan, 1.0);
    }
  EXPECT_EQ(Count(seen.size()), forest.count());
}

TEST_F(Tune, PredictionsScreenWhatIsTried) {
  // With a model that is right there are more fast ones among the first.
  auto fast = [&](EvolutionarySearch::Predict predict) {
    std::size_t n = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      EvolutionarySearch search(forest_, "here", seed, predict);
      for (const Plan &plan : search.next(40)) n += pretended(plan) < 0.5;
    }
    return n;
  };
  EXPECT_GT(fast([](const Plan &plan) { return std::optional(pretended(plan)); }), fast({}));
}

} // namespace
} // namespace tangram::tune
