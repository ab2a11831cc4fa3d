// Floating scalars that meet a spectrum's conditions.
#include "tangram/ast/Build.h"
#include "tangram/verify/ArgumentConditions.h"
#include "tangram/verify/Trial.h"

#include <gtest/gtest.h>

using namespace tangram;
using namespace tangram::runtime;

namespace {

struct RealScalars : testing::Test {
  ast::Arena arena;
  ast::Build build{arena};
  const ast::Type f32 = ast::Scalar::F32, i32 = ast::Scalar::I32;
  std::vector<const ast::Param *> params;
  std::vector<const ast::Expr *> conditions;

  const ast::Expr *param(const std::string &name, ast::Type type) {
    params.push_back(arena.make<ast::Param>({}, name, type, ast::Access::In));
    return build.var(name, type);
  }
  const ast::Expr *number(double x) { return arena.make<ast::FloatLit>({}, f32, x); }
  const ast::Expr *binary(ast::BinaryOp op, const ast::Expr *a, const ast::Expr *b, ast::Type type) {
    return arena.make<ast::Binary>({}, type, op, a, b); // unfolded, as a frontend makes it
  }
  const ast::Expr *compared(ast::BinaryOp op, const ast::Expr *a, const ast::Expr *b) {
    return binary(op, a, b, ast::Scalar::Bool);
  }
  const ast::Spectrum &made() {
    return *arena.make<ast::Spectrum>({}, std::string("s"), f32, params, conditions,
                                      std::vector<const ast::Codelet *>{});
  }
  /// Of scalars of these values; empty where they cannot be met.
  std::vector<double> meet(std::vector<double> values, const std::vector<bool> &fixed = {}) {
    const ast::Spectrum &spectrum = made();
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < params.size(); ++i) {
      arguments.push_back(Value::scalar(params[i]->type.isFloating() ? TANGRAM_F32 : TANGRAM_I32));
      if (params[i]->type.isFloating())
        arguments[i].setReal(0, values[i]);
      else
        arguments[i].setInteger(0, static_cast<std::int64_t>(values[i]));
    }
    if (!meetConditions(spectrum, arguments, fixed)) return {};
    for (std::size_t i = 0; i < params.size(); ++i)
      values[i] = params[i]->type.isFloating() ? arguments[i].real(0) : static_cast<double>(arguments[i].integer(0));
    return values;
  }
};

using Op = ast::BinaryOp;
using Numbers = std::vector<double>;

} // namespace

TEST_F(RealScalars, WhatHoldsStays) {
  conditions = {compared(Op::Gt, param("alpha", f32), number(0))};
  EXPECT_EQ(meet({0.375}), Numbers{0.375});
}

TEST_F(RealScalars, WhatDoesNotIsMirrored) {
  conditions = {compared(Op::Gt, param("alpha", f32), number(0))};
  EXPECT_EQ(meet({-0.375}), Numbers{0.375});
  EXPECT_GT(meet({0}).at(0), 0);
}

TEST_F(RealScalars, Intervals) {
  const ast::Expr *alpha = param("alpha", f32);
  conditions = {compared(Op::LogicalAnd, compared(Op::Lt, number(0), alpha), compared(Op::Lt, alpha, number(0.001)))};
  const Numbers met = meet({-2});
  ASSERT_EQ(met.size(), 1u);
  EXPECT_GT(met[0], 0);
  EXPECT_LT(met[0], 0.001);
}

TEST_F(RealScalars, TheLaterParameterGivesWay) {
  const ast::Expr *low = param("low", f32), *high = param("high", f32);
  conditions = {compared(Op::Lt, low, high), compared(Op::Le, high, number(4))};
  const Numbers met = meet({0.5, -0.5});
  EXPECT_EQ(met.at(0), 0.5);
  EXPECT_GT(met.at(1), 0.5);
  EXPECT_LT(meet({0.5, -0.5}, {false, true}).at(0), -0.5);
  EXPECT_TRUE(meet({0.5, -0.5}, {true, true}).empty());
}

TEST_F(RealScalars, ProductsAndWholeNumbers) {
  const ast::Expr *a = param("a", f32), *n = param("n", i32), *b = param("b", f32);
  conditions = {compared(Op::Eq, binary(Op::Mul, a, number(2), f32), binary(Op::Add, b, number(1), f32)),
                compared(Op::Ge, arena.make<ast::Cast>({}, i32, b), n)};
  const Numbers met = meet({0.25, 3, 0.5});
  ASSERT_EQ(met.size(), 3u);
  EXPECT_EQ(2 * met[0], met[2] + 1);
  EXPECT_GE(met[2], 3);
}

TEST_F(RealScalars, AlternativesAreLookedFor) {
  const ast::Expr *a = param("a", f32);
  conditions = {compared(Op::LogicalOr, compared(Op::Gt, a, number(3)), compared(Op::Lt, a, number(-3)))};
  EXPECT_GT(std::abs(meet({0.5}).at(0)), 3);
}

TEST_F(RealScalars, WholeNumbersInTheirPlaceMeetConditionsToo) {
  const ast::Expr *low = param("low", f32), *high = param("high", f32);
  conditions = {compared(Op::Lt, low, high), compared(Op::Lt, high, number(1))};
  const ast::Spectrum &spectrum = made();
  std::vector<Value> arguments;
  for (int i = 0; i < 2; ++i) arguments.push_back(Value::scalar(TANGRAM_F32));
  arguments[0].setReal(0, 0.25);
  arguments[1].setReal(0, 0.75);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trials trials(spectrum, arguments, {}, seed);
    for (std::size_t i = 0; i < trials.count(); ++i) {
      const Trial trial = trials.make(i);
      EXPECT_LT(trial.arguments[0].real(0), trial.arguments[1].real(0));
      EXPECT_LT(trial.arguments[1].real(0), 1);
    }
  }
}
