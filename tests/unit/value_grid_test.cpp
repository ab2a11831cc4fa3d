// Searching the values of a rule along lines.
#include "tangram/planning/ValueGrid.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tangram {
namespace {

struct Grid {
  std::vector<Scalars> points;
  ValueGrid grid() const {
    std::vector<const Scalars *> pointers;
    for (const Scalars &point : points) pointers.push_back(&point);
    return ValueGrid(pointers);
  }
};

/// `a` and `b` from 0 to n - 1, without those of which `left` says so.
Grid square(std::int64_t n, const std::function<bool(std::int64_t, std::int64_t)> &left = {}) {
  Grid result;
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b < n; ++b)
      if (!left || !left(a, b)) result.points.push_back({{"a", a}, {"b", b}});
  return result;
}

/// What is found, and how many points were asked.
std::pair<Scalars, std::size_t> found(const Grid &of, const std::function<double(const Scalars &)> &cost,
                                      std::size_t start = 0) {
  std::set<std::size_t> asked;
  const std::size_t best = of.grid().least(
      [&](std::size_t i) {
        EXPECT_TRUE(asked.insert(i).second) << i;
        return cost(of.points[i]);
      },
      start);
  return {of.points[best], asked.size()};
}

double bowl(const Scalars &at) { return std::pow(at.at("a") - 7, 2) + 3 * std::pow(at.at("b") - 4, 2); }

TEST(ValueGrid, AFewAreAllAsked) {
  const auto [best, asked] =
      found(square(2), [](const Scalars &at) { return at.at("a") == 1 && at.at("b") == 1 ? 0. : 1.; });
  EXPECT_EQ(best, (Scalars{{"a", 1}, {"b", 1}}));
  EXPECT_EQ(asked, 4u);
}

TEST(ValueGrid, LinesLeadToTheLeast) {
  const auto [best, asked] = found(square(10), bowl);
  EXPECT_EQ(best, (Scalars{{"a", 7}, {"b", 4}}));
  EXPECT_LT(asked, 40u); // of 100
}

TEST(ValueGrid, AGoodStartIsSoonOver) {
  const auto [best, asked] = found(square(10), bowl, 74);
  EXPECT_EQ(best, (Scalars{{"a", 7}, {"b", 4}}));
  EXPECT_EQ(asked, 19u); // both lines through it
}

TEST(ValueGrid, MayHaveHoles) {
  const auto [best, asked] = found(square(10, [](auto a, auto b) { return (a + b) % 3 == 1; }), bowl);
  EXPECT_LE(bowl(best), 4);
  EXPECT_LT(asked, 66u);
}

TEST(ValueGrid, AValueThatIsNotGivenIsOne) {
  Grid grid = square(4);
  for (std::int64_t a = 0; a < 4; ++a) grid.points.push_back({{"a", a}});
  const auto [best, asked] =
      found(grid, [](const Scalars &at) { return static_cast<double>(at.size()) + std::abs(at.at("a") - 2); });
  EXPECT_EQ(best, (Scalars{{"a", 2}}));
}

TEST(ValueGrid, OfEqualOnesTheFirst) {
  const Grid grid = square(5);
  EXPECT_EQ(found(grid, [](const Scalars &) { return 1.; }).first, grid.points[0]);
  EXPECT_EQ(found(grid, [](const Scalars &) { return HUGE_VAL; }).first, grid.points[0]);
}

} // namespace
} // namespace tangram
