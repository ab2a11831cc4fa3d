#include "Nests.h"

#include "tangram/nest/Extremes.h"
#include "tangram/nest/Increments.h"

namespace tangram::test {
namespace {

class ExtremesTest : public NestTest {
protected:
  ExtremesTest()
      : build_(arena_), box_{{"i", {lit(I32, 2).e, lit(I32, 9).e}}, {"j", {lit(I32, -3).e, lit(I32, 4).e}}} {}

  std::string least(E e) { return spelled(nest::extreme(build_, e.e, box_, nest::Extreme::Least)); }
  std::string greatest(E e) { return spelled(nest::extreme(build_, e.e, box_, nest::Extreme::Greatest)); }
  std::string some(E e) { return spelled(nest::holds(build_, e.e, box_, nest::Quantifier::Some)); }
  std::string all(E e) { return spelled(nest::holds(build_, e.e, box_, nest::Quantifier::All)); }
  static std::string spelled(const ast::Expr *e) { return e ? nest::spelled(e) : "unknown"; }

  E i_ = var("i", I32), j_ = var("j", I32), n_ = var("n", I32);
  ast::Build build_;
  nest::IteratorBox box_;
};

TEST_F(ExtremesTest, SumsAreMonotoneInWhatTheyAdd) {
  EXPECT_EQ(least(i_ + j_), "-1");
  EXPECT_EQ(greatest(i_ - j_), "12");
  EXPECT_EQ(greatest(n_ - i_), "n - 2");
  EXPECT_EQ(least(i_ * lit(I32, 4)), "8");
  EXPECT_EQ(greatest(n_), "n");
}

TEST_F(ExtremesTest, OtherExpressionsAreUnknown) {
  EXPECT_EQ(least(i_ * j_), "unknown");
  EXPECT_EQ(least(i_ % lit(I32, 4)), "unknown");
  EXPECT_EQ(least(i_ * lit(I32, -1)), "unknown");
  EXPECT_EQ(greatest(cast(ast::Scalar::U8, i_)), "unknown"); // it may wrap around
}

TEST_F(ExtremesTest, ConditionsOfSomePointAndOfAll) {
  E below = j_ < n_, order = i_ <= j_;
  EXPECT_EQ(some(below), "-3 < n");
  EXPECT_EQ(all(below), "4 < n");
  EXPECT_EQ(some(order), "true");                   // 2 <= 4
  EXPECT_EQ(all(order), "false");                   // 9 <= -3
  EXPECT_EQ(some(both(below, i_ == j_)), "-3 < n"); // of the other part nothing is known
  EXPECT_EQ(all(both(below, i_ == j_)), "unknown");
}

TEST_F(ExtremesTest, IncrementsWithinExpressionsStandBehindThem) {
  E out = var("out", A1(I32)), in = var("in", A1(I32)), n = var("n", U64), i = var("i", U64);
  E next = postInc(n);
  const auto *of =
      codelet("a", {program::in("in", A1(I32)), inOut("out", A1(I32))},
              {let("n", U64, lit(U64, 0)), up("i", U64, 0, size(in), {set(at(out, {next}, I32), at(in, {i}, I32))}),
               up("i", U64, 0, size(in), {set(at(out, {next}, I32), at(in, {n}, I32))})});
  const auto *apart = nest::withIncrementsApart(of, arena_);
  const auto *first = ast::as<ast::For>(apart->body->stmts[1]), *second = ast::as<ast::For>(apart->body->stmts[2]);
  ASSERT_EQ(first->body->stmts.size(), 2U);
  EXPECT_EQ(nest::spelled(ast::as<ast::Evaluate>(first->body->stmts[0])->expr), "out[n] = in[i]");
  EXPECT_EQ(nest::spelled(ast::as<ast::Evaluate>(first->body->stmts[1])->expr), "++n");
  EXPECT_EQ(second->body->stmts.size(), 1U); // which n is meant depends on the order of evaluation
}

} // namespace
} // namespace tangram::test
