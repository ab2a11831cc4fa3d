// Whose turn it is in a race.
#include "tangram/tune/Halving.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace tangram::tune {
namespace {

/// Runs a race of candidates that always take the same; how many turns each had.
std::vector<std::size_t> turns(SuccessiveHalving &race, const std::vector<double> &seconds) {
  std::vector<std::size_t> result(seconds.size(), 0);
  while (std::optional<std::size_t> who = race.next()) {
    race.took({seconds[*who]}, seconds[*who]);
    if (++result[*who] > 10000) break; // a race without end
  }
  return result;
}

TEST(Halving, TheFastestHasTheMostTurns) {
  SuccessiveHalving race(8, {.seconds = 1, .finalists = 2, .least = 2, .most = 40});
  std::vector<std::size_t> had = turns(race, {1.4e-3, 1.3e-3, 1.2e-3, 1.1e-3, 1e-3, 1.5e-3, 1.6e-3, 1.7e-3});
  EXPECT_EQ(race.standing(), (std::vector<std::size_t>{4, 3}));
  EXPECT_EQ(had[4], had[3]); // by turns to the end
  EXPECT_GT(had[4], had[2]);
  EXPECT_GT(had[2], had[7]);
  EXPECT_GE(had[7], 2u);
  EXPECT_EQ(race.times(7).size(), had[7]);
}

TEST(Halving, EachHasATurnBeforeAnyHasAnother) {
  SuccessiveHalving race(3, {.seconds = 1e9, .finalists = 3, .least = 4, .most = 4});
  std::map<std::size_t, std::size_t> had;
  for (std::size_t turn = 0; std::optional<std::size_t> who = race.next(); ++turn) {
    EXPECT_EQ(had[*who]++, turn / 3) << turn;
    race.took({1e-3}, 1e-3);
  }
  EXPECT_EQ(had, (std::map<std::size_t, std::size_t>{{0, 4}, {1, 4}, {2, 4}}));
}

TEST(Halving, WhatIsHopelessIsOutAfterOneRound) {
  SuccessiveHalving race(4, {.seconds = 1, .finalists = 2, .least = 5, .most = 40, .hopeless = 2});
  EXPECT_EQ(turns(race, {1e-3, 50e-3, 1.1e-3, 1.2e-3})[1], 1u);
}

TEST(Halving, OneThatHitsTheNoiseOnceStays) {
  // Every fifth turn of the fastest takes ten times as long.
  SuccessiveHalving race(4, {.seconds = 1, .finalists = 1, .least = 7, .most = 40});
  std::size_t turn = 0;
  while (std::optional<std::size_t> who = race.next()) {
    const double own = *who == 2 ? 1e-3 : 1.5e-3;
    race.took({*who == 2 && ++turn % 5 == 2 ? 10 * own : own}, own);
  }
  EXPECT_EQ(race.standing()[0], 2u);
}

TEST(Halving, OfThoseThatAreAsFastTheFirstStays) {
  SuccessiveHalving race(5, {.seconds = 0.1, .finalists = 1});
  turns(race, std::vector<double>(5, 1e-3));
  EXPECT_EQ(race.standing(), (std::vector<std::size_t>{0}));
}

TEST(Halving, OneAloneIsTimedToo) {
  SuccessiveHalving race(1, {.seconds = 0.01, .finalists = 2, .least = 3, .most = 5});
  EXPECT_EQ(turns(race, {1e-3})[0], 5u);
  SuccessiveHalving none(0);
  EXPECT_FALSE(none.next());
}

TEST(Halving, WhatATurnNeedsBesideTheWorkCounts) {
  // A device that has to be given the data in each turn: a second is over after eight turns.
  SuccessiveHalving race(2, {.seconds = 1, .finalists = 2, .least = 2, .most = 1000});
  std::size_t turns = 0;
  for (; race.next(); ++turns) race.took({1e-6}, 0.125);
  EXPECT_EQ(turns, 8u);
}

TEST(Halving, TheMedianIsTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isinf(median({})));
}

} // namespace
} // namespace tangram::tune
