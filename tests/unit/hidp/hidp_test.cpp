// HiDP as text of Tangram's language: types that follow, ranges, sizes, and which statements are fused.
#include "Check.h"
#include "Kernels.h"
#include "Parser.h"
#include "Types.h"
#include "tangram/diag/Diagnostic.h"

#include <gtest/gtest.h>

namespace tangram::hidp {
namespace {

std::string textOf(const std::string &program, const Mapped &mapped = {}) {
  const Source source("test.hidp", program);
  const syntax::Program tree = parse(source);
  Program checked = check(tree, source);
  return kernels(checked, source, mapped).text();
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// The id of the error that the program is.
std::string errorOf(const std::string &program) {
  try {
    textOf(program);
  } catch (const DiagnosticError &error) {
    EXPECT_TRUE(error.diagnostic.range.valid());
    EXPECT_FALSE(error.diagnostic.advice.empty());
    return error.diagnostic.id;
  }
  return "";
}

TEST(HidpTypes, NumbersAreAsInC) {
  using ast::Scalar, ast::Type;
  EXPECT_EQ(literalType("1"), Type(Scalar::I32));
  EXPECT_EQ(literalType("2147483648"), Type(Scalar::I64));
  EXPECT_EQ(literalType("1u"), Type(Scalar::U32));
  EXPECT_EQ(literalType("0xffffffff"), Type(Scalar::U32));
  EXPECT_EQ(literalType("1."), Type(Scalar::F64));
  EXPECT_EQ(literalType("1e3f"), Type(Scalar::F32));
  for (const char *wrong : {"1q", "1f", "1e", "99999999999999999999", "0x", "1.2.3", "1e999"})
    EXPECT_EQ(literalType(wrong), std::nullopt) << wrong;
  EXPECT_EQ(builtinType("unsigned long int"), Type(Scalar::U64));
  EXPECT_EQ(builtinType("signed char"), Type(Scalar::I8));
  for (const char *wrong : {"unsigned float", "long short", "int int", "signed unsigned", "void"})
    EXPECT_EQ(builtinType(wrong), std::nullopt) << wrong;
  EXPECT_EQ(common(Scalar::U32, Scalar::I32), Type(Scalar::U32));
  EXPECT_EQ(common(Scalar::I8, Scalar::I8), Type(Scalar::I32));
  EXPECT_EQ(common(Scalar::I64, Scalar::F32), Type(Scalar::F32));
}

TEST(HidpTypes, AScalarHasTheTypeOfAllThatIsAssigned) {
  const std::string text = textOf("function f input float A[N]; output double B[N];\n"
                                  "map { i := [0:N); _x = 0; _y = _x; _x = _x + A; B = _y; }");
  EXPECT_TRUE(has(text, "float _x = (float)0;")) << text;
  EXPECT_TRUE(has(text, "float _y = _x;")) << text; // follows from it
}

TEST(HidpRanges, EndsAreInOrNot) {
  auto loop = [](const std::string &range) {
    const std::string text =
        textOf("function f inout float A[N]; input int row[N]; map { i := " + range + "; A[i] = 1; }");
    const std::size_t begin = text.find("for (");
    return text.substr(begin, text.find("; ++i", begin) - begin);
  };
  EXPECT_EQ(loop("[1:N-2]"), "for (long long i = 1; i < (N - 1)");
  EXPECT_EQ(loop("(0:N-1]"), "for (long long i = 1; i < N");
  EXPECT_EQ(loop("(-1:N)"), "for (long long i = 0; i < N");
  EXPECT_EQ(loop("[row[0]:row[1])"), "for (long long i = (long long)row[0]; i < ((long long)row[1])");
}

TEST(HidpSizes, AreConditionsWhereTheyStandAgain) {
  const std::string text =
      textOf("function f input float A[M][2*M+1], B[4], _x; input int _n; inout float C[_n]; C = _x;");
  EXPECT_TRUE(has(text, "__requires(A.size(1) == (2 * A.size(0)) + 1)")) << text;
  EXPECT_TRUE(has(text, "__requires(B.size(0) == 4)")) << text;
  EXPECT_TRUE(has(text, "__requires(C.size(0) == (size_t)_n)")) << text;
  EXPECT_EQ(errorOf("function f inout float A[2*M]; A = 1;"), "hidp.size-unknown");
  EXPECT_EQ(errorOf("function f inout float A[M]; inout float B[N]; A = B;"), "hidp.shape");
}

TEST(HidpFusion, OfAPrefixAndItsOwnElements) {
  const std::string header = "function f input float A[M][N]; output float R[M], B[M][N];\n";
  auto isFused = [&](const std::string &statements) { return has(textOf(header + statements), "__tag(fused)"); };
  const std::string rows = "map { i := [0:M); j := [0:N); } reduce(\"+\", R[i], A[i][j], j:=[*]);";
  EXPECT_TRUE(isFused("B = A; B = B + 1;"));
  EXPECT_TRUE(isFused(rows + "R = R * 2;"));
  EXPECT_TRUE(isFused("R = 0; map { i := [0:M); j := [0:N); B = A + R[i]; }"));
  EXPECT_FALSE(isFused("R = 0; map { i := [1:M); R[i] = R[i] + 1; }"));               // other iterations
  EXPECT_FALSE(isFused("B = A; map { i := [0:M); j := [0:N); B[i][j] = B[i][0]; }")); // another's element
  EXPECT_FALSE(isFused("B = A; map { i := [0:M); j := [0:N); R[i] = B[i][N-1-j]; }"));
  EXPECT_FALSE(isFused("B = A; map { j := [0:N); i := [0:M); _x = B[i][j]; }")); // another order
  EXPECT_FALSE(isFused("B = A; _x = A[0][0]; B = B + _x;"));                     // a statement between them
  // Each iteration's element of a local array alone: a scalar.
  const std::string text = textOf(header + "float T[M][N]; T = A * A; B = T + 1;");
  EXPECT_TRUE(has(text, "Array<2, float> T(M, N);")); // in `serial`
  EXPECT_TRUE(has(text.substr(text.find("__tag(fused)")), "float T;"));
}

TEST(HidpMaps, ALoopThatIsNotProvedIsASpectrumOfItsOwn) {
  const std::string program = "function f input int at[N]; inout float B[M];\nmap { i := [0:N); B[at[i]] = 1; }";
  EXPECT_FALSE(has(textOf(program), "map("));
  const std::string text = textOf(program, {{program.find("map"), "i"}});
  EXPECT_TRUE(has(text, "__independent __tag(composed) void f(")) << text;
  EXPECT_TRUE(has(text, "map(f_at_i, range<long long>(0, N), at, B);")) << text;
}

TEST(HidpSyntax, WhatIsNestedTooDeepIsALimitation) {
  const std::string deep(100000, '(');
  EXPECT_EQ(errorOf("function f inout float A[N]; A = " + deep), "hidp.depth");
  std::string blocks;
  for (int i = 0; i < 10000; ++i) blocks += "if (1) {";
  EXPECT_EQ(errorOf("function f inout float A[N]; " + blocks), "hidp.depth");
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_EQ(errorOf("function f inout float A[N]; A = " + sum + ";"), "hidp.depth");
}

} // namespace
} // namespace tangram::hidp
