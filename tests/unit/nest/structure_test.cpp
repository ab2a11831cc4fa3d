// Loops that other ones are made of before they are read.
#include "Nests.h"

#include "tangram/ast/Compare.h"
#include "tangram/nest/Continues.h"
#include "tangram/nest/PreviousValues.h"
#include "tangram/nest/SelectedElements.h"

namespace tangram::test {
namespace {

class StructureTest : public NestTest {
protected:
  S over(Ss body) const { return up("i", U64, 0, size(z_), std::move(body)); }
  void expectWithoutContinues(Ss given, Ss expected) {
    const auto *made = nest::withoutContinues(codelet("a", {inOut("z", A1(I32))}, std::move(given)), arena_);
    EXPECT_TRUE(ast::equal(made->body, block(expected))) << ast::print(made->body) << ast::print(block(expected));
  }
  void expectWithSelectedElements(Ss given, Ss expected, const std::string &conditions = "") {
    const auto *made = nest::withSelectedElements(codelet("a", {inOut("z", A1(I32))}, std::move(given)), arena_);
    EXPECT_TRUE(ast::equal(made->body, block(expected))) << ast::print(made->body) << ast::print(block(expected));
    std::string text;
    for (const ast::Expr *c : made->conditions) text += (text.empty() ? "" : " and ") + nest::spelled(c);
    EXPECT_EQ(text, conditions);
  }
  S zero() const { return set(at(z_, {i_}, I32), 0); }
  S one() const { return set(at(z_, {i_}, I32), 1); }
  S two() const { return set(at(z_, {i_}, I32), 2); }

  E z_ = var("z", A1(I32)), i_ = var("i", U64);
  E few_ = i_ < lit(U64, 9), even_ = i_ % lit(U64, 2) == lit(U64, 0);
};

TEST_F(StructureTest, WhatFollowsABranchThatContinuesIsItsOther) {
  expectWithoutContinues({over({when(few_, {zero(), next()}), one()})}, {over({when(few_, {zero()}, {one()})})});
  expectWithoutContinues({over({when(few_, {zero()}, {two(), next()}), one()})},
                         {over({when(few_, {zero(), one()}, {two()})})});
  expectWithoutContinues({over({when(few_, {zero(), next()}), when(even_, {next()}), one()})},
                         {over({when(few_, {zero()}, {when(negated(even_), {one()})})})});
  expectWithoutContinues({over({when(few_, {when(even_, {zero(), next()}, {two(), next()})}), one()})},
                         {over({when(few_, {when(even_, {zero()}, {two()})}, {one()})})});
}

TEST_F(StructureTest, AFlagSaysWhetherAPartOfABranchContinued) {
  E skipped = var("skipped", B);
  const Ss given{over({when(few_, {when(even_, {zero(), next()}), two()}), one()})};
  expectWithoutContinues(
      given, {over({let("skipped", B, lit(B, 0)), when(few_, {when(even_, {zero(), set(skipped, lit(B, 1))}, {two()})}),
                    when(negated(skipped), {one()})})});
}

TEST_F(StructureTest, WhatNestsReadOrIsNoBranchStays) {
  const Ss skips{over({when(few_, {next()}), one()})};
  expectWithoutContinues(skips, skips);
  const Ss inSwitch{over({when(even_, {zero(), next()}), choose(i_, {option({1}, {next()})}), one()})};
  expectWithoutContinues(inSwitch, inSwitch);
  const Ss turns{let("i", U64, 0), whileLoop(few_, {set(i_, i_ + lit(U64, 1)), when(even_, {zero(), next()}), one()})};
  expectWithoutContinues(turns, turns); // there is no loop in it
}

TEST_F(StructureTest, LoopsInEachOtherContinueForThemselves) {
  const auto nested = [&](Ss inner, Ss rest) {
    Ss body{up("j", U64, 0, i_, std::move(inner))};
    body.insert(body.end(), rest.begin(), rest.end());
    return over(std::move(body));
  };
  expectWithoutContinues({nested({when(few_, {zero(), next()}), two()}, {one()})},
                         {nested({when(few_, {zero()}, {two()})}, {one()})});
}

TEST_F(StructureTest, WhatAnIterationLeavesForTheNextOneThatFindsByItself) {
  E x = var("x", A1(I32)), before = var("before", I32), now = var("now", I32);
  const Ps params{in("x", A1(I32)), inOut("z", A1(I32))};
  const S handed = set(at(z_, {i_}, I32), before), left = set(before, at(x, {i_}, I32));
  const auto changed = [&](Ss body) {
    const ast::Codelet *given = codelet("a", params, std::move(body));
    const ast::Codelet *made = nest::withPreviousValues(given, arena_);
    if (made == given) return std::string("the same");
    return carried(*read(params, made->body->stmts), "i");
  };
  EXPECT_EQ(changed({let("before", I32, 7), over({handed, left})}), "nothing");
  EXPECT_EQ(changed({let("before", I32, 7), over({let("now", I32, at(x, {i_}, I32)), handed, set(before, now)})}),
            "nothing");
  // Who reads it behind the loop, in it behind the store, or what the loop writes, has to wait.
  EXPECT_EQ(changed({let("before", I32, 7), over({handed, left}), set(at(z_, {lit(U64, 0)}, I32), before)}),
            "the same");
  EXPECT_EQ(changed({let("before", I32, 7), over({left, handed})}), "the same");
  EXPECT_EQ(changed({let("before", I32, 7), over({handed, set(before, at(z_, {i_}, I32))})}), "the same");
  EXPECT_EQ(changed({let("before", I32, 7), over({handed, when(few_, {left})})}), "the same");
  E view = var("view", A1(I32));
  EXPECT_EQ(
      changed({let("view", A1(I32), z_), let("before", I32, 7), over({handed, set(before, at(view, {i_}, I32))})}),
      "the same");
}

TEST_F(StructureTest, PlacesOfExtremeValuesHaveTheValueBeside) {
  E best = var("best", U64), value = var("z_best", I32), here = at(z_, {i_}, I32), there = at(z_, {best}, I32);
  const S begin = let("best", U64, 0);
  expectWithSelectedElements({begin, over({when(here < there, {set(best, i_)})})},
                             {begin, let("z_best", I32, select(best < size(z_), there, 0)),
                              over({when(here < value, {set(value, here), set(best, i_)})})});
  const E narrow = var("best", I32), wide = at(z_, {cast(U64, narrow)}, I32);
  expectWithSelectedElements(
      {let("best", I32, 0), over({when(both(few_, wide <= here), {set(narrow, cast(I32, i_))})})},
      {let("best", I32, 0), let("z_best", I32, select(cast(U64, narrow) < size(z_), wide, 0)),
       over({when(both(few_, value <= here), {set(value, here), set(narrow, cast(I32, i_))})})},
      "z.size() <= 2147483648");
}

TEST_F(StructureTest, PlacesOfValuesThatChangeStay) {
  E best = var("best", U64), here = at(z_, {i_}, I32), there = at(z_, {best}, I32);
  const S begin = let("best", U64, 0), choice = when(here < there, {set(best, i_)});
  for (const Ss &body : std::initializer_list<Ss>{{choice, zero()},                 // the values change
                                                  {choice, set(best, lit(U64, 3))}, // the place does, too
                                                  {let("best", U64, 0), choice},    // each iteration has its own
                                                  {when(here < there, {set(best, i_ + lit(U64, 1))})}}) {
    const Ss given{begin, over(body)};
    expectWithSelectedElements(given, given);
  }
}

} // namespace
} // namespace tangram::test
