// Corrections to a model's parts, from made-up times.
#include "Corrections.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tangram::learned {
namespace {

using tune::Sample;

/// Plans of several problems. Their memory takes `memory` times as long as the model says, and all is off by a factor
/// of the problem's own, and by noise.
std::vector<Sample> samples(std::size_t count, double memory, double noise) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Sample> result;
  for (std::size_t i = 0; i < count; ++i) {
    Sample s;
    s.problem = static_cast<std::int64_t>(i % 3);
    const double scale = std::pow(10, -5 + 2 * unit(random)), part = unit(random);
    s.shares = {{"issue", scale * (1 - part)}, {"memory", scale * part}};
    s.seconds = scale * std::exp(std::log(memory) * part) * static_cast<double>(1 + s.problem) *
                std::exp(noise * normal(random));
    result.push_back(s);
  }
  return result;
}

TEST(Corrections, FindsThePartThatIsWrong) {
  std::string why;
  const std::optional<Corrections> c = fit(samples(90, 4, 0.05), why);
  ASSERT_TRUE(c) << why;
  EXPECT_EQ(c->samples, 90u);
  EXPECT_EQ(c->problems, 3u);
  EXPECT_LT(c->after, 0.3 * c->before);
  const double memory = c->factor({{"memory", 1.0}, {"issue", 0.0}}),
               issue = c->factor({{"memory", 0.0}, {"issue", 1.0}});
  EXPECT_NEAR(memory / issue, 4, 0.8);
  // The whole is right in the mean over problems: factors 1, 2 and 3.
  EXPECT_NEAR(issue, std::cbrt(6), 0.3);
}

TEST(Corrections, TooLittleIsSaid) {
  std::string why;
  EXPECT_FALSE(fit(samples(12, 4, 0), why));
  EXPECT_NE(why.find("too little to learn from: 12 timed plans"), std::string::npos) << why;
  EXPECT_FALSE(fit({}, why));
  // One plan of each problem says nothing of which is faster.
  std::vector<Sample> single = samples(60, 4, 0);
  for (std::size_t i = 0; i < single.size(); ++i) single[i].problem = static_cast<std::int64_t>(i);
  EXPECT_FALSE(fit(single, why));
  EXPECT_NE(why.find("0 timed plans"), std::string::npos) << why;
}

TEST(Corrections, NoiseIsNotLearned) {
  std::string why;
  EXPECT_FALSE(fit(samples(60, 1, 0.5), why));
  EXPECT_NE(why.find("do not help"), std::string::npos) << why;
}

TEST(Corrections, WhatIsNoTimeDoesNotCount) {
  std::vector<Sample> some = samples(60, 4, 0);
  some.push_back({0, {{"issue", 0.0}}, 1});
  some.push_back({0, {{"issue", 1.0}}, HUGE_VAL});
  some.push_back({0, {{"issue", std::nan("")}}, 1});
  std::string why;
  const std::optional<Corrections> c = fit(some, why);
  ASSERT_TRUE(c) << why;
  EXPECT_EQ(c->samples, 60u);
}

TEST(Corrections, StayWithinReason) {
  std::string why;
  const std::optional<Corrections> c = fit(samples(90, 1e9, 0), why);
  ASSERT_TRUE(c) << why;
  EXPECT_LE(c->factor({{"memory", 1.0}}) / std::exp(c->bias), 20.0001);
}

} // namespace
} // namespace tangram::learned
