// What is expected below a point follows from what is expected at it.
#include "SumProgram.h"
#include "tangram/planning/Expectations.h"

namespace tangram {
namespace {

using namespace test;

/// Codelet `c` cuts into as many tiles as the level has workers, and sums their sums.
TEST(Expectations, FollowMapsAndCalls) {
  Program program(sumProgram(true, true, true, false), gpuSimple());
  const std::uint64_t tiles = program.hardware.levels[1].workers.count, all = 1000 * tiles;
  const Forest forest = program.forest(4);
  const Expectations expectations(forest, {{"in", {all}}});
  auto isAbout = [](std::optional<std::uint64_t> expected, std::uint64_t exact) {
    return expected && *expected >= exact && *expected <= exact + exact / 16; // rounded up twice at most
  };
  const SizedPoint root(forest, expectations);
  EXPECT_PRED2(isAbout, root.expected().largest(), all);
  auto c = std::find_if(root->alternatives.begin(), root->alternatives.end(),
                        [](const Alternative &a) { return a.codelet && a.codelet->name == "c"; });
  ASSERT_NE(c, root->alternatives.end());
  ASSERT_EQ(c->children.size(), 2u);
  const SizedPoint map = root.child(*c, 0), sums = root.child(*c, 1);
  EXPECT_PRED2(isAbout, map.expected().elements, tiles);
  EXPECT_PRED2(isAbout, map.expected().work, all);
  EXPECT_PRED2(isAbout, map.expected().largest(), 1000);
  EXPECT_PRED2(isAbout, sums.expected().largest(), tiles);
  EXPECT_EQ(root.child(*c, 0).expectation(), map.expectation());
}

TEST(Expectations, SplitMapsHaveFewerCalls) {
  Program program(sumProgram(true, true, true, false), gpuSimple());
  const std::uint64_t tiles = program.hardware.levels[1].workers.count;
  const Forest forest = program.forest(4);
  const Expectations expectations(forest, {{"in", {1000 * tiles}}});
  const SizedPoint root(forest, expectations);
  unsigned splits = 0;
  for (const Alternative &c : root->alternatives)
    for (std::size_t i = 0; i < c.children.size(); ++i)
      for (const SizedPoint map = root.child(c, i); const Alternative &rule : map->alternatives) {
        if (rule.rule != Rule::Split || !map.expected().elements) continue;
        const auto factor = static_cast<std::uint64_t>(rule.parameters.at("factor"));
        EXPECT_GE(*map.child(rule, 0).expected().elements * factor, *map.expected().elements);
        ++splits;
      }
  EXPECT_GT(splits, 0u);
}

TEST(Expectations, OfNothingNothing) {
  Program program(sumProgram(true, true, true, false), gpuSimple());
  const Forest forest = program.forest(4);
  for (const ExpectedSizes &sizes : {ExpectedSizes{}, ExpectedSizes{{"other", {3}}}}) {
    const Expectations expectations(forest, sizes);
    const SizedPoint root(forest, expectations);
    for (const Alternative &rule : root->alternatives)
      for (std::size_t i = 0; i < rule.children.size(); ++i)
        EXPECT_FALSE(root.child(rule, i).expected().largest()) << i;
  }
}

} // namespace
} // namespace tangram
