// What iterations of a loop load again.
#include "Nests.h"
#include "tangram/nest/ReusedLoads.h"

namespace tangram::test {
namespace {

class ReusedLoads : public NestTest {
protected:
  /// "in[i + 1] > in[i] > in[i - 1]" for each element that comes anew: what has it in the iterations behind; "..."
  /// where none of the places does.
  static std::string of(const Nest &n, const std::string &loop) {
    const std::vector<nest::ReusedLoad> loads = nest::reusedLoads(n, loopOf(n, loop));
    std::string text;
    for (std::size_t first = 0; first < loads.size(); ++first) {
      if (loads[first].before) continue;
      text += (text.empty() ? "" : ", ") + nest::spelled(loads[first].element);
      for (std::size_t at = first, i = 0; i < loads.size(); ++i)
        if (loads[i].before == at) {
          text += " > " + (loads[i].places.empty() ? "..." : nest::spelled(loads[i].element));
          at = i;
          i = static_cast<std::size_t>(-1);
        }
    }
    return text;
  }
  const Ps params_ = {in("in", A2(F32)), inOut("out", A2(F32)), in("n", U64), in("m", U64)};
  E row(int by) { return var("i", U64) + lit(U64, by); }
  E at(E i, E j) { return program::at(var("in", A2(F32)), {i, j}, F32); }
  S store(E value) { return set(program::at(var("out", A2(F32)), {var("i", U64), var("j", U64)}, F32), value); }
  std::unique_ptr<Nest> loops(std::vector<S> body) {
    return read(params_, {up("i", U64, lit(U64, 0), var("n", U64), {up("j", U64, lit(U64, 0), var("m", U64), body)})});
  }
  std::unique_ptr<Nest> loops(E value) { return loops(std::vector{store(value)}); }
  const E j_ = var("j", U64);
};

TEST_F(ReusedLoads, RowsThatFollowEachOther) {
  EXPECT_EQ(of(*loops(at(row(0), j_) + at(row(1), j_) + at(row(2), j_)), "i"),
            "in[i + 2][j] > in[i + 1][j] > in[i + 0][j]");
}

TEST_F(ReusedLoads, OneThatIsNotLoadedInBetween) {
  EXPECT_EQ(of(*loops(at(row(0), j_) + at(row(2), j_)), "i"), "in[i + 2][j] > ... > in[i + 0][j]");
  EXPECT_EQ(of(*loops(at(row(0), j_) + at(row(3), j_)), "i"), "");
}

TEST_F(ReusedLoads, ColumnsAreOthers) {
  EXPECT_EQ(of(*loops(at(row(0), j_) + at(row(1), j_ + lit(U64, 1))), "i"), "");
  EXPECT_EQ(of(*loops(at(row(0), j_) + at(row(0), j_ + lit(U64, 1))), "i"), "");
}

TEST_F(ReusedLoads, NoneThatAreLoadedWithinAnExpression) {
  EXPECT_EQ(of(*loops(at(row(0), j_) + select(j_ < lit(U64, 3), at(row(1), j_), at(row(0), j_))), "i"), "");
}

TEST_F(ReusedLoads, WhatTheSameConditionWasAskedBefore) {
  const auto inside = [&](int by) { return row(by) < var("n", U64); };
  const auto n = loops({when(inside(1), {store(at(row(1), j_))}), when(inside(2), {store(at(row(2), j_))})});
  EXPECT_EQ(of(*n, "i"), "in[i + 2][j] > in[i + 1][j]");
  // Nothing has loaded it where the other condition did not hold.
  const auto other = loops({when(inside(1), {store(at(row(1), j_))}), when(inside(3), {store(at(row(2), j_))})});
  EXPECT_EQ(of(*other, "i"), "");
  // What is always loaded is there on any condition.
  const auto always = loops({store(at(row(2), j_)), when(inside(3), {store(at(row(1), j_))})});
  EXPECT_EQ(of(*always, "i"), "in[i + 2][j] > in[i + 1][j]");
}

} // namespace
} // namespace tangram::test
