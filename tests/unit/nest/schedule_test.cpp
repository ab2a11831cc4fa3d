#include "Nests.h"

namespace tangram::test {
namespace {

using nest::Refusal;
using nest::Schedule;
using nest::Step;

Step tile(const std::string &loop, std::int64_t size, const std::string &name) {
  return {Step::Kind::Tile, {loop}, size, name, {}};
}
Step order(std::vector<std::string> loops) { return {Step::Kind::Order, std::move(loops), 0, "", {}}; }
Step fuse(const std::string &a, const std::string &b) { return {Step::Kind::Fuse, {a, b}, 0, "", {}}; }
Step distribute(const std::string &a) { return {Step::Kind::Distribute, {a}, 0, "", {}}; }
Step reduce(const std::string &a) { return {Step::Kind::Reduce, {a}, 0, "", {}}; }

std::string refused(Schedule &s, const Step &step) {
  auto r = s.apply(step);
  return r ? r->message : "";
}

class ScheduleTest : public NestTest {
protected:
  /// a[i][j] = a[i - 1][j] + a[i][j - 1]
  auto recurrence() {
    E a = var("a", A2(F32)), i = var("i", U64), j = var("j", U64), one = lit(U64, 1);
    return read({inOut("a", A2(F32))},
                {up("i", U64, 1, size(a, 0),
                    {up("j", U64, 1, size(a, 1),
                        {set(at(a, {i, j}, F32), at(a, {i - one, j}, F32) + at(a, {i, j - one}, F32))})})});
  }
  /// Loops of the written body, one a line, indented.
  std::string loopsOf(const Schedule &s) {
    nest::Written w = nest::write(s, arena_);
    if (!w.body) return w.problem;
    std::string text;
    std::function<void(const ast::Node *, int)> go = [&](const ast::Node *n, int depth) {
      if (const auto *f = ast::dyn<ast::For>(n)) {
        text += fmt::format("{:{}}{}\n", "", depth * 2, nest::spelled(f->init));
        ++depth;
      }
      for (const ast::Node *c : ast::children(*n)) go(c, depth);
    };
    go(w.body, 0);
    return text;
  }
};

TEST_F(ScheduleTest, TilesAndInterchanges) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), i = var("i", U64), j = var("j", U64);
  auto n =
      read({in("a", A2(F32)), inOut("b", A2(F32))},
           {up("i", U64, 0, size(a, 0), {up("j", U64, 0, size(a, 1), {set(at(b, {j, i}, F32), at(a, {i, j}, F32))})})});
  Schedule s(*n);
  EXPECT_EQ(refused(s, tile("i", 32, "ii")), "");
  EXPECT_EQ(refused(s, tile("j", 16, "jj")), "");
  EXPECT_EQ(refused(s, order({"ii", "jj", "i", "j"})), "");
  EXPECT_EQ(loopsOf(s), "ii = 0\n"
                        "  jj = 0\n"
                        "    i_1 = 32 * ii\n"
                        "      j_1 = 16 * jj\n");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"ii", "jj", "i", "j"}));
}

TEST_F(ScheduleTest, InterchangeThatBreaksADependence) {
  E a = var("a", A2(F32)), i = var("i", U64), j = var("j", U64), n = var("n", U64), one = lit(U64, 1);
  auto nest =
      read({inOut("a", A2(F32)), in("n", U64)},
           {up("i", U64, 1, n, {up("j", U64, 0, n, {set(at(a, {i, j}, F32), at(a, {i - one, j + one}, F32))})})});
  Schedule s(*nest);
  EXPECT_EQ(refused(s, order({"j", "i"})), "'order j i' is not possible: in loop 'i', 'a[i - 1][j + 1]' reads what an "
                                           "earlier iteration writes as 'a[i][j]'");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"i", "j"}));
}

TEST_F(ScheduleTest, FusesWhatFollows) {
  E a = var("a", A1(I32)), b = var("b", A1(I32)), c = var("c", A1(I32)), i = var("i", U64), j = var("j", U64),
    one = lit(U64, 1);
  auto body = [&](E read) {
    return Ss{up("i", U64, 0, size(a), {set(at(b, {i}, I32), at(a, {i}, I32))}),
              up("j", U64, 0, size(a), {set(at(c, {j}, I32), read)})};
  };
  Ps params = {in("a", A1(I32)), inOut("b", A1(I32)), inOut("c", A1(I32))};
  auto good = read(params, body(at(b, {j}, I32)));
  Schedule s(*good);
  EXPECT_EQ(refused(s, fuse("i", "j")), "");
  EXPECT_EQ(loopsOf(s), "i_1 = 0\n");
  EXPECT_EQ(refused(s, distribute("i")), "");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"i", "i_2"}));
  auto bad = read(params, body(at(b, {j + one}, I32)));
  Schedule t(*bad);
  EXPECT_EQ(refused(t, fuse("i", "j")), "'fuse i j' is not possible: 'b[j + 1]' would not wait for 'b[i]'");
}

TEST_F(ScheduleTest, DeclarationsAloneAreNoLoop) {
  E a = var("a", A1(I32)), i = var("i", U64), s = var("s", I32);
  auto n =
      read({inOut("a", A1(I32))},
           {up("i", U64, 0, size(a), {local("s", I32, {}), set(s, at(a, {i}, I32)), set(at(a, {i}, I32), s + s)})});
  Schedule schedule(*n);
  EXPECT_NE(refused(schedule, distribute("i")), ""); // 's' is one for all iterations
  auto m = read({inOut("a", A1(I32))}, {up("i", U64, 0, size(a), {local("s", I32, {}), add(at(a, {i}, I32), i)})});
  Schedule alone(*m);
  EXPECT_EQ(refused(alone, distribute("i")), "");
  EXPECT_EQ(alone.loops(), (std::vector<std::string>{"i"}));
}

TEST_F(ScheduleTest, ReductionsMayBeReorderedWhereThatIsAskedFor) {
  E a = var("a", A2(F32)), y = var("y", A1(F32)), i = var("i", U64), j = var("j", U64);
  auto n = read({in("a", A2(F32)), inOut("y", A1(F32))},
                {up("i", U64, 0, size(a, 0),
                    {up("j", U64, 0, size(a, 1), {add(at(y, {lit(U64, 0)}, F32), at(a, {i, j}, F32))})})});
  Schedule s(*n);
  EXPECT_NE(refused(s, order({"j", "i"})), "");
  EXPECT_EQ(refused(s, reduce("i")), "");
  EXPECT_EQ(refused(s, order({"j", "i"})), "");
  EXPECT_EQ(refused(s, reduce("k")), "there is no loop 'k' here: j, i");
}

TEST_F(ScheduleTest, ScalarsAreNotSharedBetweenIterations) {
  E a = var("a", A2(F32)), y = var("y", A1(F32)), i = var("i", U64), j = var("j", U64), s = var("s", F32);
  auto n = read({in("a", A2(F32)), inOut("y", A1(F32))},
                {up("i", U64, 0, size(y),
                    {let("s", F32, flit(F32, 0)), up("j", U64, 0, size(a, 1), {add(s, at(a, {i, j}, F32))}),
                     set(at(y, {i}, F32), s)})});
  Schedule schedule(*n);
  EXPECT_EQ(refused(schedule, distribute("i")), "'distribute i' is not possible: 's' would have to keep a value for "
                                                "each iteration of loop 'i' at once: make it an array");
  EXPECT_NE(refused(schedule, order({"j", "i"})).find("does not stand directly in 'j'"), std::string::npos);
  EXPECT_EQ(refused(schedule, tile("j", 8, "jj")), "");
}

TEST_F(ScheduleTest, UntouchedLoopsStayAsTheyAre) {
  E a = var("a", A1(I32)), i = var("i", U64), j = var("j", U64);
  S first = up("i", U64, 0, size(a), {set(at(a, {i}, I32), 0)});
  auto n = read({inOut("a", A1(I32))}, {first, up("j", U64, 0, size(a), {add(at(a, {j}, I32), lit(I32, 1))})});
  Schedule s(*n);
  EXPECT_EQ(refused(s, tile("j", 4, "jj")), "");
  nest::Written w = nest::write(s, arena_);
  ASSERT_TRUE(w.body);
  EXPECT_EQ(w.body->stmts[0], first);
}

TEST_F(ScheduleTest, RecurrencesOfTwoDimensionsBecomeWavefronts) {
  const auto n = recurrence();
  Schedule s(*n);
  EXPECT_EQ(refused(s, {Step::Kind::Reschedule, {"j"}, 0, "", {}}), "loop 'j' stands in another one");
  ASSERT_EQ(refused(s, {Step::Kind::Reschedule, {"i"}, 0, "", {}}), "");
  EXPECT_EQ(s.loops().size(), 2U);
  EXPECT_TRUE(s.carried(s.loops()[0]));
  EXPECT_FALSE(s.carried(s.loops()[1])); // a diagonal
}

TEST_F(ScheduleTest, IterationsWithLoopsInThemAreCarriedOutAsAWhole) {
  // Each a[i][j] is made of what lies to its left and above it.
  E a = var("a", A2(I32)), i = var("i", U64), j = var("j", U64), k = var("k", U64);
  auto n = read(
      {inOut("a", A2(I32))},
      {up("i", U64, 0, size(a, 0),
          {up("j", U64, 0, size(a, 1),
              {add(at(a, {i, j}, I32), lit(I32, 1)), up("k", U64, 0, j, {add(at(a, {i, j}, I32), at(a, {i, k}, I32))}),
               up("h", U64, 0, i, {add(at(a, {i, j}, I32), at(a, {var("h", U64), j}, I32))})})})});
  Schedule s(*n);
  EXPECT_EQ(refused(s, {Step::Kind::Hyperplanes, {"j"}, 0, "", {}}), "loop 'j' stands in another one");
  ASSERT_EQ(refused(s, {Step::Kind::Hyperplanes, {"i"}, 0, "", {}}), "");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"t1", "t2", "k", "h"}));
  EXPECT_TRUE(s.carried("t1"));
  EXPECT_FALSE(s.carried("t2"));
  // What counts tiles are not iterations of the source.
  Schedule tiled(*n), inner(*n);
  ASSERT_EQ(refused(tiled, {Step::Kind::Tile, {"i"}, 4, "i_t", {}}), "");
  EXPECT_EQ(refused(tiled, {Step::Kind::Hyperplanes, {"i_t"}, 0, "", {}}),
            "loop 'i_t' no longer counts iterations of an outermost loop of the source");
  ASSERT_EQ(refused(inner, {Step::Kind::Tile, {"j"}, 4, "j_t", {}}), "");
  EXPECT_EQ(refused(inner, {Step::Kind::Hyperplanes, {"i"}, 0, "", {}}), "");
}

TEST_F(ScheduleTest, ElementsThatLoopsAddToGoOutside) {
  E a = var("a", A1(F32)), b = var("b", A1(F32)), c = var("c", A2(F32)), i = var("i", U64), j = var("j", U64),
    r = var("r", U64), two = lit(U64, 2);
  const auto scatter = [&](const E &place) {
    return read(
        {in("a", A1(F32)), in("b", A1(F32)), inOut("c", A2(F32))},
        {up("i", U64, 0, size(a),
            {up("r", U64, 0, size(c, 0),
                {up("j", U64, 0, size(b), {add(at(c, {r, place}, F32), at(a, {i}, F32) * at(b, {j}, F32))})})})});
  };
  const auto n = scatter(two * i + j);
  Schedule s(*n);
  EXPECT_EQ(refused(s, {Step::Kind::Gather, {"j"}, 0, "", {}}), "loop 'j' stands in another one");
  ASSERT_EQ(refused(s, {Step::Kind::Gather, {"i"}, 0, "", {}}), ""); // in the order that it was: no `reduce`
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"r", "i_j", "i", "j"}));
  EXPECT_FALSE(s.carried("r"));
  EXPECT_FALSE(s.carried("i_j"));
  EXPECT_TRUE(s.carried("i"));
  // Which elements there are is not known, or what is added is what others have added to.
  const auto byData = scatter(at(a, {i}, U64));
  Schedule unknown(*byData);
  EXPECT_EQ(refused(unknown, {Step::Kind::Gather, {"i"}, 0, "", {}}),
            "which elements of 'c' are updated is not known from the iterations");
  const auto chained =
      read({inOut("c", A2(F32))},
           {up("i", U64, 0, size(c, 0), {up("j", U64, 0, size(c, 1), {add(at(c, {j, i}, F32), at(c, {i, j}, F32))})})});
  Schedule wrong(*chained);
  EXPECT_NE(refused(wrong, {Step::Kind::Gather, {"i"}, 0, "", {}}), "");
}

TEST_F(ScheduleTest, PartsOfALoopMayChangePlaces) {
  E a = var("a", A1(I32)), b = var("b", A1(I32)), c = var("c", A1(I32)), i = var("i", U64), one = lit(U64, 1);
  auto n = read({inOut("a", A1(I32)), inOut("b", A1(I32)), inOut("c", A1(I32))},
                {up("i", U64, 1, size(a),
                    {set(at(a, {i}, I32), at(b, {i - one}, I32)), set(at(b, {i}, I32), at(c, {i}, I32)),
                     set(at(c, {i - one}, I32), lit(I32, 0))})});
  // a[i] waits for the b[i - 1] of the iteration before.
  Schedule wrong(*n), right(*n), odd(*n);
  EXPECT_NE(refused(wrong, {Step::Kind::Distribute, {"i"}, 0, "", {}, {1, 1, 1}, {0, 1, 2}}), "");
  EXPECT_EQ(refused(right, {Step::Kind::Distribute, {"i"}, 0, "", {}, {1, 1, 1}, {1, 0, 2}}), "");
  EXPECT_EQ(refused(odd, {Step::Kind::Distribute, {"i"}, 0, "", {}, {2, 1}, {0, 0, 2}}),
            "'distribute i' does not name each of the 3 parts of 'i' once");
}

TEST_F(ScheduleTest, RecurrencesOfTwoDimensionsMayBeTiled) {
  const auto n = recurrence();
  const Schedule s(*n);
  Schedule::TilableBand band;
  EXPECT_FALSE(s.wavefronts("i", band));
  EXPECT_EQ(band.when.size(), 2U);
  EXPECT_EQ(band.together, (std::vector<std::vector<unsigned>>{{0}}));
  EXPECT_EQ(s.wavefronts("j", band)->message, "there is no outermost loop 'j'");
}

TEST_F(ScheduleTest, WhatWaitsForAllBeforeIsNotTiled) {
  E a = var("a", A2(F32)), b = var("b", A1(F32)), i = var("i", U64), j = var("j", U64), zero = lit(U64, 0);
  auto n = read({in("a", A2(F32)), inOut("b", A1(F32))},
                {up("i", U64, 0, size(a, 0),
                    {up("j", U64, 0, size(a, 1),
                        {set(at(b, {zero}, F32), at(b, {zero}, F32) * at(a, {i, j}, F32) + flit(F32, 1))})})});
  const Schedule s(*n);
  Schedule::TilableBand band;
  EXPECT_EQ(s.wavefronts("i", band)->message, "no order of its loops may be tiled");
}

TEST_F(ScheduleTest, ConditionsBecomeBounds) {
  E a = var("a", A1(I32)), i = var("i", U64);
  auto n = read({inOut("a", A1(I32))}, {up("i", U64, 0, size(a), {when(i > lit(U64, 3), {set(at(a, {i}, I32), 0)})})});
  Schedule s(*n);
  s.regenerate();
  EXPECT_EQ(loopsOf(s), "i_1 = 4\n");
}

TEST_F(ScheduleTest, ARunningValueHasNoOtherOrder) {
  E a = var("a", A1(F32)), i = var("i", U64), one = lit(U64, 1);
  auto n = read({inOut("a", A1(F32))},
                {up("i", U64, 1, size(a, 0), {set(at(a, {i}, F32), at(a, {i}, F32) + at(a, {i - one}, F32))})});
  Schedule s(*n);
  ASSERT_EQ(refused(s, {Step::Kind::Reschedule, {"i"}, 0, "", {}}), "");
  EXPECT_TRUE(s.carried(s.loops()[0]));
}

// Of a factorization's blocks: what is on the diagonal, below it, beside it, and what is left, whose two halves are
// one.
TEST_F(ScheduleTest, FactorizationsGoThroughBlocks) {
  E a = var("a", A2(F32)), i = var("i", U64), j = var("j", U64), k = var("k", U64), n = size(a, 0);
  E l = var("l", U64), h = var("h", U64);
  auto nest =
      read({inOut("a", A2(F32))},
           {up("i", U64, 0, n,
               {up("j", U64, 0, i,
                   {up("k", U64, 0, j,
                       {set(at(a, {i, j}, F32), at(a, {i, j}, F32) - at(a, {i, k}, F32) * at(a, {k, j}, F32))}),
                    set(at(a, {i, j}, F32), at(a, {i, j}, F32) * at(a, {j, j}, F32))}),
                up("l", U64, i, n,
                   {up("h", U64, 0, i,
                       {set(at(a, {i, l}, F32), at(a, {i, l}, F32) - at(a, {i, h}, F32) * at(a, {h, l}, F32))})})})});
  Schedule s(*nest);
  EXPECT_EQ(refused(s, {Step::Kind::Block, {"j"}, 8, "block", {}}), "loop 'j' stands in another one");
  ASSERT_EQ(refused(s, {Step::Kind::Block, {"i"}, 8, "block", {}}), "");
  const std::vector<std::string> loops = s.loops();
  ASSERT_EQ(loops.size(), 14U) << testing::PrintToString(loops);
  EXPECT_EQ(loops[0], "block");
  EXPECT_TRUE(s.carried("block"));
  for (const std::size_t last : {11U, 12U}) EXPECT_FALSE(s.carried(loops[last])) << loops[last];
  EXPECT_TRUE(s.carried(loops[13])); // updates of an element
}

TEST_F(ScheduleTest, WhereNoLoopFollowsAnotherThereAreNoBlocks) {
  const auto n = recurrence();
  Schedule s(*n);
  EXPECT_EQ(refused(s, {Step::Kind::Block, {"i"}, 8, "block", {}}),
            "no loop in 'i' begins or ends where another one is");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"i", "j"}));
}

TEST_F(ScheduleTest, PartsOfALoopAreDistributedTogether) {
  E a = var("a", A1(F32)), b = var("b", A1(F32)), c = var("c", A1(F32)), i = var("i", U64);
  auto n = read({inOut("a", A1(F32)), inOut("b", A1(F32)), inOut("c", A1(F32))},
                {up("i", U64, 0, size(a, 0),
                    {set(at(a, {i}, F32), flit(F32, 1)), set(at(b, {i}, F32), flit(F32, 2)),
                     set(at(c, {i}, F32), flit(F32, 3))})});
  Schedule s(*n);
  ASSERT_EQ(refused(s, {Step::Kind::Distribute, {"i"}, 0, "", {}, {2, 1}}), "");
  EXPECT_EQ(s.loops(), (std::vector<std::string>{"i", "i_2"}));
}

} // namespace
} // namespace tangram::test
