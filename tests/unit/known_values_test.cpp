// What is known of a kernel's variables when it is compiled.
#include "tangram/ast/KnownValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Storage.h"
#include "tangram/pass/Analyses.h"

#include <gtest/gtest.h>

namespace tangram::ast {
namespace {

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
TEST(KnownValues, ChainsOfVariablesAreEvaluatedOnce) {
  Arena arena;
  const Kernel *kernel = doubled(arena, 60);
  KnownValues known(*kernel);
  const Expr *last = Build(arena).var("x59", Scalar::U64);
  EXPECT_EQ(known.value(last), std::int64_t{1} << 59);
  EXPECT_TRUE(known.isConstantExpression(last));
  EXPECT_EQ(known.value(Build(arena).var("unknown", Scalar::U64)), std::nullopt);
  EXPECT_FALSE(known.isConstantExpression(Build(arena).var("unknown", Scalar::U64)));
}

// What a launch calls differently is known by that name, unless two launches mean different things by it.
TEST(KnownValues, LaunchesPassThemOn) {
  Arena arena;
  Build build(arena);
  auto launch = [&](const char *name, const char *param, Int value) -> const Stmt * {
    const Param *p = arena.make<Param>(SourceRange{}, param, Type(Scalar::U64), Access::In);
    return arena.make<Launch>(SourceRange{}, name, "device", build.u64(1), Int{1}, Int{0},
                              std::vector<const Param *>{p},
                              std::vector<const Expr *>{build.integer(Scalar::U64, value)}, build.block({}));
  };
  const Kernel *kernel =
      arena.make<Kernel>(SourceRange{}, "k", "k", "", Scalar::Void, std::vector<const Param *>{},
                         std::vector<const Expr *>{}, std::vector<const Param *>{}, std::vector<const Expr *>{},
                         build.block({launch("a", "tile", 16), launch("b", "part", 1), launch("c", "part", 2)}));
  KnownValues known(*kernel);
  EXPECT_EQ(known.value(build.var("tile", Scalar::U64)), 16);
  EXPECT_EQ(known.value(build.var("part", Scalar::U64)), std::nullopt);
}

// One object a tree: a changed kernel is another one.
TEST(Analyses, AreMadeOnceForEachTree) {
  Arena arena;
  const Kernel *kernel = doubled(arena, 3), *same = arena.derive(kernel, [](Kernel &) {});
  Analyses analyses;
  const KnownValues &known = analyses.of<KnownValues>(kernel);
  EXPECT_EQ(&known, &analyses.of<KnownValues>(*kernel));
  EXPECT_NE(&known, &analyses.of<KnownValues>(same));
  EXPECT_EQ(analyses.size(), 2u);
  analyses.of<Storage>(kernel);
  EXPECT_EQ(analyses.size(), 3u);
}

} // namespace
} // namespace tangram::ast
