// What is known of whole numbers from what is known of operands.
#include "tangram/compose/Interval.h"

#include <gtest/gtest.h>

namespace tangram {
namespace {

TEST(Interval, ProductsAndRestsOfNegativeNumbers) {
  using ast::BinaryOp;
  auto isBetween = [](const Interval &i, std::optional<std::int64_t> lo, std::optional<std::int64_t> hi) {
    return i.lo == lo && i.hi == hi;
  };
  const Interval minus = Interval::exactly(-2), some = Interval::between(-3, 5);
  EXPECT_TRUE(isBetween(apply(BinaryOp::Mul, minus, Interval::exactly(4096)), -8192, -8192));
  EXPECT_TRUE(isBetween(apply(BinaryOp::Mul, some, minus), -10, 6));
  EXPECT_TRUE(isBetween(apply(BinaryOp::Mul, some, Interval{0, {}}), {}, {}));
  EXPECT_TRUE(isBetween(apply(BinaryOp::Mul, Interval::exactly(INT64_MIN), minus), {}, {}));
  EXPECT_TRUE(isBetween(apply(BinaryOp::Div, Interval::exactly(-7), Interval::exactly(2)), -3, -3));
  EXPECT_TRUE(isBetween(apply(BinaryOp::Rem, Interval::exactly(-7), Interval::exactly(2)), -1, -1));
}

} // namespace
} // namespace tangram
