// Which loops count, and what of them.
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

#include "tangram/ast/Text.h"

#include <gtest/gtest.h>

namespace {

using namespace tangram;
using namespace tangram::ast;

constexpr const char *kAdd = R"((Evaluate (Assign f32 add (VarRef f32 "s")
  (Subscript f32 (VarRef ptr<const f32> "a") [(VarRef u64 "i")]))))";

class CountedLoops : public ::testing::Test {
protected:
  const For *loop(const std::string &init, const std::string &cond, const std::string &step,
                  const std::string &body = kAdd) {
    return as<For>(parse("(For " + init + " " + cond + " " + step + " (Block [" + body + "]))", arena));
  }
  /// From `begin` while `i < n`.
  const For *upTo(const std::string &n, const std::string &step = R"((Unary u64 preinc (VarRef u64 "i")))",
                  const std::string &body = kAdd) {
    return loop(R"((Declare "i" u64 false false [] - (VarRef u64 "begin")))",
                R"((Binary bool lt (VarRef u64 "i") )" + n + ")", step, body);
  }
  static std::string add(const std::string &step) { return R"((Assign u64 add (VarRef u64 "i") )" + step + ")"; }
  bool counts(const Stmt *s) { return loops::counted(arena, s).has_value(); }

  Arena arena;
};

TEST_F(CountedLoops, SayWhereTheyBeginAndEnd) {
  const For *node = upTo(R"((VarRef u64 "n"))", add(R"((Cast u64 (IntLit u32 256)))"));
  std::optional<loops::Counted> c = loops::counted(arena, node);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->variable, "i");
  EXPECT_EQ(as<VarRef>(c->begin)->name, "begin");
  EXPECT_EQ(as<VarRef>(c->end)->name, "n");
  EXPECT_EQ(literal(c->step), 256); // whatever it was converted from
  EXPECT_EQ(c->body, node->body);
}

TEST_F(CountedLoops, MayGoOnFromAVariable) {
  std::optional<loops::Counted> c =
      loops::counted(arena, loop("-", R"((Binary bool lt (VarRef u64 "i") (VarRef u64 "n")))",
                                 R"((Unary u64 preinc (VarRef u64 "i")))"));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->begin, nullptr);
}

TEST_F(CountedLoops, DoNotChangeTheirBoundsOrStep) {
  EXPECT_TRUE(counts(upTo(R"((Binary u64 add (VarRef u64 "n") (IntLit u64 1)))")));
  EXPECT_FALSE(counts(upTo(R"((Binary u64 add (VarRef u64 "i") (IntLit u64 1)))")));
  EXPECT_FALSE(counts(upTo(R"((Subscript u64 (VarRef ptr<const u64> "ends") [(IntLit u64 0)]))")));
  std::string grows = R"((Evaluate (Assign u64 add (VarRef u64 "n") (IntLit u64 1))))";
  EXPECT_FALSE(counts(upTo(R"((VarRef u64 "n"))", add(R"((IntLit u64 1))"), grows)));
  EXPECT_FALSE(counts(upTo(R"((VarRef u64 "m"))", add(R"((VarRef u64 "n"))"), grows)));
  EXPECT_TRUE(counts(upTo(R"((VarRef u64 "m"))", add(R"((VarRef u64 "k"))"), grows)));
}

TEST_F(CountedLoops, EndByTheirConditionAlone) {
  EXPECT_FALSE(counts(upTo(R"((VarRef u64 "n"))", add(R"((IntLit u64 1))"), "(Break)")));
  EXPECT_FALSE(counts(upTo(R"((VarRef u64 "n"))", add(R"((IntLit u64 1))"), R"((Sync "block"))")));
}

TEST_F(CountedLoops, NarrowersCompareInTheirOwnType) {
  std::string init = R"((Declare "i" u64 false false [] - (IntLit u64 0)))",
              step = R"((Unary u64 preinc (VarRef u64 "i")))";
  EXPECT_FALSE(counts(loop(init, R"((Binary bool lt (Cast u32 (VarRef u64 "i")) (VarRef u32 "n")))", step)));
}

TEST_F(CountedLoops, LoadThroughPointers) {
  std::string store = R"((Evaluate (Assign f32 set (Subscript f32 (VarRef ptr<f32> "y") [(VarRef u64 "i")])
    (Subscript f32 (VarRef array<1,f32> "own") [(VarRef u64 "i")]))))";
  std::string update =
      R"((Evaluate (Assign f32 add (Subscript f32 (VarRef ptr<f32> "y") [(VarRef u64 "i")]) (FloatLit f32 1))))";
  EXPECT_EQ(loops::loads(upTo(R"((VarRef u64 "n"))")->body), 1u);
  EXPECT_EQ(loops::loads(upTo(R"((VarRef u64 "n"))", add(R"((IntLit u64 1))"), store)->body), 0u);
  EXPECT_EQ(loops::loads(upTo(R"((VarRef u64 "n"))", add(R"((IntLit u64 1))"), store + update)->body), 1u);
}

} // namespace
