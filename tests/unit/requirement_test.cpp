// What cooperative codelets need of their containers, and when it is proved.
#include "SumProgram.h"

#include "tangram/compose/Requirement.h"

namespace tangram {
namespace {

using namespace test;

/// The requirements of a cooperative codelet with these statements over `in` and `out`.
std::vector<std::string> required(const std::vector<std::string> &statements, const std::string &conditions = "",
                                  bool coop = true) {
  std::string params = "(Param \"in\" array<1,i32> in) (Param \"out\" array<1,i32> inout)";
  ast::Arena arena;
  const ast::Codelet *codelet =
      ast::as<ast::Codelet>(ast::parse(test::codelet("x", statements, coop, "", conditions, params), arena));
  std::vector<std::string> result;
  for (const ast::Expr *e : requirements(*codelet, arena)) result.push_back(describe(*e));
  return result;
}
std::string use(const std::string &container, const std::string &index) {
  return fmt::format("(Evaluate (Subscript i32 {} [{}]))", var("array<1,i32>", container), index);
}
std::string forLoop(const std::string &name, const std::string &from, const std::string &to, const std::string &step,
                    const std::string &body) {
  return fmt::format("(For {} {} {} (Block [{}]))", declare("u32", name, from), bin("bool", "lt", var("u32", name), to),
                     step, body);
}
using Strings = std::vector<std::string>;

const std::string kId = "(CoopIdx u32)", kDim = "(CoopDim u32)";
const std::string kIterator = var("u32", "i");
const std::string kNext = "(Unary u32 preinc (VarRef u32 \"i\"))";

TEST(Requirement, OwnElementOnly) {
  EXPECT_EQ(required({use("in", kId)}), (Strings{"in.size() <= coopDim()"}));
  EXPECT_EQ(required({declare("u32", "id", kId), use("in", var("u32", "id")), use("out", var("u32", "id"))}),
            (Strings{"in.size() <= coopDim()", "out.size() <= coopDim()"}));
  EXPECT_EQ(required({use("in", kId)}, "", false), (Strings{})) << "not cooperative";
}

TEST(Requirement, TreeSumOfFigure43) {
  Program program(sumProgram(), gpuSimple());
  ast::Arena arena;
  std::vector<const ast::Expr *> found = requirements(*program.codelet("b"), arena);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(describe(*found[0]), "in.size() <= coopDim()");
  EXPECT_TRUE(requirements(*program.codelet("a"), arena).empty());
  EXPECT_TRUE(requirements(*program.codelet("c"), arena).empty());
}

TEST(Requirement, SeveralElementsALane) {
  EXPECT_EQ(required({use("in", kId), use("in", bin("u32", "add", kId, kDim))}),
            (Strings{"in.size() <= 2 * coopDim()"}));
  std::string two = lit("u32", 2), one = lit("u32", 1);
  EXPECT_EQ(required({use("in", bin("u32", "mul", two, kId)),
                      use("in", bin("u32", "add", bin("u32", "mul", kId, two), one))}),
            (Strings{"in.size() <= 2 * coopDim()"}));
  // Every second element alone: the last lane stops one short of two rows.
  EXPECT_EQ(required({use("in", bin("u32", "mul", two, kId))}), (Strings{"in.size() + 1 <= 2 * coopDim()"}));
  // A neighbour more is taken as none: too strict is safe.
  EXPECT_EQ(required({use("in", kId), use("in", bin("u32", "add", kId, one))}), (Strings{"in.size() <= coopDim()"}));
  // A loop written in literals reaches no farther than its last step.
  EXPECT_EQ(required({forLoop("i", lit("u32", 0), lit("u32", 4), kNext,
                              use("in", bin("u32", "add", bin("u32", "mul", kId, lit("u32", 4)), kIterator)))}),
            (Strings{"in.size() <= 4 * coopDim()"}));
  EXPECT_EQ(required({forLoop("i", lit("u32", 0), lit("u32", 4), kNext,
                              use("in", bin("u32", "add", kId, bin("u32", "mul", kIterator, kDim))))}),
            (Strings{"in.size() <= 4 * coopDim()"}));
}

TEST(Requirement, LoopsCoverTheirContainer) {
  std::string stride = fmt::format("(Assign u32 add {} {})", kIterator, kDim);
  EXPECT_EQ(required({forLoop("i", kId, cast("u32", size(kIn)), stride, use("in", kIterator))}), (Strings{}));
  // One container by a loop, the other by lanes.
  EXPECT_EQ(required({forLoop("i", kId, cast("u32", size(kIn)), stride, use("in", kIterator)), use("out", kId)}),
            (Strings{"out.size() <= coopDim()"}));
  // Through data: anywhere.
  EXPECT_EQ(required({use("out", fmt::format("(Cast u32 (Subscript i32 {} [{}]))", kIn, kId))}),
            (Strings{"in.size() <= coopDim()"}));
  EXPECT_EQ(required({use("in", lit("u32", 0))}), (Strings{})) << "the same for all lanes";
}

TEST(Requirement, WrittenLimitsComeFirst) {
  std::string most = bin("bool", "le", size(kIn), bin("u64", "mul", lit("u64", 8), cast("u64", kDim)));
  EXPECT_EQ(required({use("in", kId)}, most), (Strings{"in.size() <= 8 * coopDim()"}));
  // A condition that limits nothing does not hide what is inferred.
  std::string some = bin("bool", "gt", size(kIn), lit("u64", 0));
  EXPECT_EQ(required({use("in", kId)}, some), (Strings{"in.size() > 0", "in.size() <= coopDim()"}));
}

TEST(Requirement, Provable) {
  ast::Arena arena;
  const ast::Codelet *x = ast::as<ast::Codelet>(ast::parse(
      codelet("x", {use("in", kId)}, true, "", "", "(Param \"in\" array<1,i32> in) (Param \"n\" u32 in)"), arena));
  const ast::Expr &fits = *requirements(*x, arena)[0];
  EXPECT_TRUE(provable(fits, *x, {256}, 256));
  EXPECT_TRUE(provable(fits, *x, {0}, 1));
  EXPECT_FALSE(provable(fits, *x, {257}, 256));
  EXPECT_FALSE(provable(fits, *x, {std::nullopt}, 256));
  EXPECT_FALSE(provable(fits, *x, {}, 256));
  auto holds = [&](const std::string &text, std::optional<std::uint64_t> bound, std::uint64_t lanes) {
    return provable(*ast::as<ast::Expr>(ast::parse(text, arena)), *x, {bound}, lanes);
  };
  std::string s = size(kIn), dim = cast("u64", kDim);
  EXPECT_TRUE(
      holds(bin("bool", "logand", bin("bool", "lt", s, lit("u64", 9)), bin("bool", "ge", dim, lit("u64", 4))), 8, 4));
  EXPECT_FALSE(
      holds(bin("bool", "logand", bin("bool", "lt", s, lit("u64", 9)), bin("bool", "ge", dim, lit("u64", 4))), 8, 3));
  EXPECT_TRUE(
      holds(bin("bool", "logor", bin("bool", "lt", s, lit("u64", 9)), bin("bool", "ge", dim, lit("u64", 4))), {}, 4));
  // Sizes are at least 0; nothing is known of a scalar argument.
  EXPECT_TRUE(holds(bin("bool", "ge", s, lit("u64", 0)), {}, 4));
  EXPECT_FALSE(holds(bin("bool", "gt", s, lit("u64", 0)), 8, 4));
  EXPECT_FALSE(holds(bin("bool", "lt", var("u32", "n"), lit("u32", 100)), 8, 4));
  // What may wrap proves nothing: 0 - 1 is large.
  EXPECT_FALSE(holds(bin("bool", "le", bin("u64", "sub", s, lit("u64", 1)), lit("u64", 7)), 8, 4));
  EXPECT_FALSE(holds(bin("bool", "le", bin("u32", "add", cast("u32", s), lit("u32", -1)), lit("u32", 7)), 8, 4));
  EXPECT_FALSE(holds(bin("bool", "le", cast("u8", s), lit("u8", -1)), 300, 4));
}

} // namespace
} // namespace tangram
