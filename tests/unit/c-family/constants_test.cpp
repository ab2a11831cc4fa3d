// What is known of a kernel's variables when its text is written.
#include "tangram/c-family/Constants.h"

#include "tangram/ast/Build.h"

#include <gtest/gtest.h>

namespace tangram::c_family {
namespace {

using namespace ast;

/// x0 = 1, and each further variable is twice the one before it, named twice.
const Kernel *doubled(Arena &arena, std::size_t variables) {
  Build build(arena);
  std::vector<const Stmt *> body{build.declare("x0", Scalar::U64, build.u64(1))};
  for (std::size_t i = 1; i < variables; ++i) {
    const Expr *before = build.var("x" + std::to_string(i - 1), Scalar::U64);
    body.push_back(build.declare("x" + std::to_string(i), Scalar::U64,
                                 arena.make<Binary>(SourceRange{}, Scalar::U64, BinaryOp::Add, before, before)));
  }
  return arena.make<Kernel>(SourceRange{}, "k", "k", "", Scalar::Void, std::vector<const Param *>{},
                            std::vector<const Expr *>{}, std::vector<const Param *>{}, std::vector<const Expr *>{},
                            build.block(std::move(body)));
}

// With every variable evaluated once for each time that it is named, this would not end.
TEST(Constants, ChainsOfVariablesAreEvaluatedOnce) {
  Arena arena;
  const Kernel *kernel = doubled(arena, 60);
  Constants constants(*kernel);
  const Expr *last = Build(arena).var("x59", Scalar::U64);
  EXPECT_EQ(constants.value(last), std::int64_t{1} << 59);
  EXPECT_TRUE(constants.isConstantExpression(last));
  EXPECT_EQ(constants.value(Build(arena).var("unknown", Scalar::U64)), std::nullopt);
  EXPECT_FALSE(constants.isConstantExpression(Build(arena).var("unknown", Scalar::U64)));
}

} // namespace
} // namespace tangram::c_family
