#include "Nests.h"

#include <isl/set.h>

namespace tangram::test {
namespace {

TEST_F(NestTest, ReadsSizesAsParameters) {
  E a = var("a", A2(F32)), i = var("i", U64), j = var("j", U64);
  auto n = read({inOut("a", A2(F32))},
                {up("i", U64, 0, size(a, 0), {up("j", U64, 0, size(a, 1), {set(at(a, {i, j}, F32), flit(F32, 0))})})});
  ASSERT_EQ(n->loops.size(), 2U);
  EXPECT_TRUE(n->loops[1].exact);
  ASSERT_EQ(n->parameters.size(), 2U);
  EXPECT_EQ(n->parameters[0].name, "a.size(0)");
  EXPECT_TRUE(n->unconditional());
  EXPECT_EQ(remarks(*n), "");
  ASSERT_EQ(n->statements.size(), 1U);
  ASSERT_EQ(n->statements[0].accesses.size(), 1U);
  EXPECT_TRUE(n->statements[0].accesses[0].exact);
}

TEST_F(NestTest, SaysWhatIsNotAffine) {
  E a = var("a", A1(F32)), idx = var("idx", A1(U32)), i = var("i", U64);
  auto n = read({inOut("a", A1(F32)), in("idx", A1(U32))},
                {up("i", U64, 0, size(a),
                    {set(at(a, {u64(at(idx, {i}, U32))}, F32), flit(F32, 1)), set(at(a, {i * i}, F32), flit(F32, 2)),
                     set(at(a, {i}, F32), flit(F32, 3))})});
  // Both stand still within one iteration, and change from one to the next.
  EXPECT_EQ(carried(*n, "i"), "in loop 'i', 'a[idx[i]]' may write what an earlier iteration writes as 'a[idx[i]]'");
  auto m = read({inOut("a", A1(F32)), inOut("idx", A1(U32))},
                {up("i", U64, 0, size(a),
                    {set(at(a, {u64(at(idx, {i}, U32))}, F32), flit(F32, 1)), set(at(idx, {i}, U32), lit(U32, 3))})});
  EXPECT_EQ(remarks(*m), "index is not affine: a[idx[i]]\n");
  EXPECT_EQ(carried(*m, "i"), "in loop 'i', 'a[idx[i]]' may write what an earlier iteration writes as 'a[idx[i]]'");
}

TEST_F(NestTest, StepsAndDirections) {
  E a = var("a", A1(I32)), i = var("i", I32), n = var("n", I32);
  auto first = read({inOut("a", A1(I32)), in("n", I32)},
                    {down("i", I32, n - 1, 0, {set(at(a, {u64(i)}, I32), at(a, {u64(i + 2)}, I32))}, 2)});
  EXPECT_EQ(first->loops[0].step, -2);
  EXPECT_EQ(carried(*first, "i"), "in loop 'i', 'a[i + 2]' reads what the iteration before writes as 'a[i]'");
  auto second = read({inOut("a", A1(I32)), in("n", I32)},
                     {up("i", I32, 0, n, {set(at(a, {u64(i)}, I32), at(a, {u64(i + 3)}, I32))}, 2)});
  EXPECT_EQ(carried(*second, "i"), "nothing"); // even ones are written, odd ones read
}

TEST_F(NestTest, DecrementInTheCondition) {
  E a = var("a", A1(I32)), i = var("i", U32), n = var("n", U32);
  E post = make<ast::Unary>(U32, ast::UnaryOp::PostDec, i.e);
  S l = make<ast::For>(let("i", U32, n), (post > lit(U32, 0)).e, static_cast<const ast::Expr *>(nullptr),
                       block({set(at(a, {u64(i)}, I32), at(a, {u64(i + 1)}, I32))}));
  auto nest = read({inOut("a", A1(I32)), in("n", U32)}, {l});
  EXPECT_EQ(nest->loops[0].step, -1);
  EXPECT_TRUE(nest->loops[0].exact);
  EXPECT_EQ(carried(*nest, "i"), "in loop 'i', 'a[i + 1]' reads what the iteration before writes as 'a[i]'");
}

TEST_F(NestTest, UnsignedBoundsThatWrapAroundAreConditions) {
  E a = var("a", A1(I32)), i = var("i", U32), n = var("n", U32);
  // i + 1 < n + 1 is no i < n where n + 1 is 0; nor is i < n - 1 where n is 0.
  auto nest =
      read({inOut("a", A1(I32)), in("n", U32)}, {up("i", U32, 0, n - lit(U32, 1), {set(at(a, {u64(i)}, I32), 0)})});
  EXPECT_EQ(assumed(*nest), "n >= 1");
  // What wraps and comes back is exact.
  auto back =
      read({inOut("a", A1(I32)), in("n", U32)}, {up("i", U32, 0, n, {set(at(a, {u64(n - lit(U32, 1) - i)}, I32), 0)})});
  EXPECT_EQ(assumed(*back), "");
  EXPECT_EQ(carried(*back, "i"), "nothing");
  // A size that is counted in 32 bits.
  E s = size(a);
  auto narrow = read({inOut("a", A1(I32))},
                     {let("m", U32, s, true), up("i", U32, 0, var("m", U32), {set(at(a, {u64(i)}, I32), 0)})});
  EXPECT_EQ(assumed(*narrow), "a.size() <= 4294967295");
}

TEST_F(NestTest, BoundsThatFunctionsAndSumsSay) {
  E a = var("a", A1(I32)), i = var("i", U64), n = var("n", U64), w = var("w", U64);
  // A quotient by what is no number is one itself: how it comes about asks nothing of sizes.
  const Ps params{inOut("a", A1(I32)), in("n", U64), in("w", U64)};
  auto quotient =
      read(params, {let("m", U64, (n + w) / w, true), up("i", U64, 0, var("m", U64), {set(at(a, {i}, I32), 0)})});
  EXPECT_EQ(assumed(*quotient), "");
  EXPECT_TRUE(quotient->loops[0].exact);
  // The least of two.
  auto least = read(
      params,
      {up("i", U64, 0, E(make<ast::Call>(U64, std::string("min_u64"), raw({n, size(a)}))), {set(at(a, {i}, I32), 0)})},
      {chooser(true, U64)});
  EXPECT_TRUE(least->loops[0].exact);
  // i + w - 1 < n wraps around in front of the first iteration where w is 0.
  E one = lit(U64, 1);
  auto ahead = read(params, {loop(let("i", U64, 0), i + w - one < n, inc(i), {set(at(a, {i}, I32), 0)})});
  EXPECT_TRUE(ahead->loops[0].exact);
  EXPECT_EQ(assumed(*ahead), "w <= 281474976710656 and w >= 1"); // numbers fit 64 bits
}

TEST_F(NestTest, LoopsThatWouldNotEndAreUndefined) {
  E a = var("a", A1(I32)), i = var("i", U32);
  // Were there more than 2^32 elements, this would go on for ever.
  auto nest =
      read({inOut("a", A1(I32))}, {loop(let("i", U32, 0), u64(i) < size(a), inc(i), {set(at(a, {u64(i)}, I32), 0)})});
  EXPECT_EQ(assumed(*nest), "");
  EXPECT_TRUE(nest->loops[0].exact);
  // By steps of 3 it might jump over the end, and come back.
  E step = assign(i, lit(U32, 3), ast::AssignOp::Add);
  auto jumps = read({inOut("a", A1(I32)), in("n", U32)},
                    {loop(let("i", U32, 0), i < var("n", U32), step, {set(at(a, {u64(i)}, I32), 0)})});
  EXPECT_EQ(assumed(*jumps), ""); // 2^32 - 1 is a multiple of 3
  E four = assign(i, lit(U32, 4), ast::AssignOp::Add);
  auto by4 = read({inOut("a", A1(I32)), in("n", U32)},
                  {loop(let("i", U32, 0), i < var("n", U32), four, {set(at(a, {u64(i)}, I32), 0)})});
  EXPECT_EQ(assumed(*by4), "n <= 4294967292");
}

TEST_F(NestTest, RowsOfDataAreParametersOfWhatIsInThem) {
  E row = var("row", A1(U32)), col = var("col", A1(U32)), v = var("v", A1(F32)), x = var("x", A1(F32)),
    y = var("y", A1(F32));
  E i = var("i", U64), e = var("e", U32), s = var("s", F32);
  auto n = read({in("row", A1(U32)), in("col", A1(U32)), in("v", A1(F32)), in("x", A1(F32)), inOut("y", A1(F32))},
                {up("i", U64, 0, size(y),
                    {let("s", F32, flit(F32, 0)),
                     up("e", U32, at(row, {i}, U32), at(row, {i + lit(U64, 1)}, U32),
                        {add(s, at(v, {u64(e)}, F32) * at(x, {u64(at(col, {u64(e)}, U32))}, F32))}),
                     set(at(y, {i}, F32), s)})});
  EXPECT_EQ(carried(*n, "i"), "nothing");
  EXPECT_EQ(carried(*n, "e"), "+ s");
  auto f = nest::footprint(*n, loopOf(*n, "e"), variableOf(*n, "v"), nest::Touched::Reads);
  ASSERT_TRUE(f);
  // Exactly the elements of the row.
  isl::ctx ctx = n->isl.get();
  isl::set all = isl::set::universe(isl::space::unit(ctx));
  auto parameter = [&](const std::string &name) {
    std::string id;
    for (const nest::Parameter &p : n->parameters)
      if (p.name == name) id = p.id;
    return all.param_pw_aff_on_domain(isl::id(ctx, id));
  };
  isl::set two = parameter("row[i]")
                     .eq_set(all.pw_aff_on_domain(5))
                     .intersect(parameter("row[i + 1]").eq_set(all.pw_aff_on_domain(7)));
  isl::set elements = f->elements.intersect_params(two).project_out_all_params();
  EXPECT_EQ(elements.dim_min_val(0).num_si(), 5);
  EXPECT_EQ(elements.dim_max_val(0).num_si(), 6);
}

TEST_F(NestTest, GuardsAndSkips) {
  E a = var("a", A1(I32)), i = var("i", I32), n = var("n", I32);
  // Only the first half writes, and only the second half reads.
  auto nest =
      read({inOut("a", A1(I32)), in("n", I32)}, {up("i", I32, 0, lit(I32, 10) * n,
                                                    {when(i < lit(I32, 5) * n, {set(at(a, {u64(i)}, I32), 0)},
                                                          {set(at(a, {u64(i + 100)}, I32), at(a, {u64(i)}, I32))})})});
  EXPECT_EQ(nest->guards.size(), 1U);
  EXPECT_EQ(carried(*nest, "i").find("nothing"), std::string::npos); // 100 more may be in either half
  auto skips =
      read({inOut("a", A1(I32)), in("n", I32)},
           {up("i", I32, 0, n,
               {when(i == lit(I32, 0), {next()}), set(at(a, {u64(i)}, I32), at(a, {u64(lit(I32, 0))}, I32))})});
  EXPECT_EQ(carried(*skips, "i"), "nothing"); // a[0] is only read
  auto data = read({inOut("a", A1(I32)), in("n", I32)},
                   {up("i", I32, 0, n, {when(at(a, {u64(i)}, I32) > lit(I32, 0), {set(at(a, {u64(i)}, I32), 0)})})});
  EXPECT_EQ(carried(*data, "i"), "nothing");
  EXPECT_EQ(remarks(*data), "");
}

TEST_F(NestTest, WhatCannotBeTakenApartTouchesAllThatItMentions) {
  E a = var("a", A1(I32)), b = var("b", A1(I32)), i = var("i", I32), n = var("n", I32), j = var("j", I32);
  auto nest = read(
      {inOut("a", A1(I32)), in("b", A1(I32)), in("n", I32)},
      {up("i", I32, 0, n,
          {let("j", I32, i), whileLoop(at(b, {u64(j)}, I32) > lit(I32, 0), {run(inc(j))}),
           set(at(a, {u64(i)}, I32), j)}),
       up("k", I32, 0, n, {when(var("k", I32) == lit(I32, 3), {leave()}), set(at(a, {u64(var("k", I32))}, I32), 0)})});
  EXPECT_EQ(carried(*nest, "i"), "nothing");
  EXPECT_EQ(nest->loops.size(), 1U);
  // An opaque loop in an opaque loop is one.
  EXPECT_EQ(remarks(*nest), "the loop is left, or a pass of it cut short, by a jump\n");
}

TEST_F(NestTest, LinearIndicesOfOneRow) {
  E a = var("a", A1(F32)), i = var("i", U64), j = var("j", U64), n = var("n", U64);
  auto nest = read({inOut("a", A1(F32)), in("n", U64)},
                   {up("i", U64, 0, n,
                       {up("j", U64, 1, n, {set(at(a, {i * n + j}, F32), at(a, {i * n + j - lit(U64, 1)}, F32))})})});
  EXPECT_EQ(carried(*nest, "j"),
            "in loop 'j', 'a[i * n + j - 1]' reads what the iteration before writes as 'a[i * n + j]'");
}

TEST_F(NestTest, CooperativeCodeletsAreNotRead) {
  const ast::Codelet *c = codelet("a", {inOut("a", A1(F32))}, {}, true);
  module_ = make<ast::Module>(std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
                              std::vector<const ast::Spectrum *>{}, std::vector<const ast::Kernel *>{});
  EXPECT_EQ(nest::read(*module_, *c), nullptr);
}

/// Of bounds that data decides, and a choice of it, each piece would be one of the domain, times those of loops around.
TEST_F(NestTest, BoundsOfClampedData) {
  E rows = var("rows", A1(I32)), columns = var("columns", A1(I32)), a = var("a", A2(F32));
  E i = var("i", U64), r = var("r", I32), c = var("c", I32), p = var("p", I32), q = var("q", I32);
  auto nest = read(
      {in("rows", A1(I32)), in("columns", A1(I32)), inOut("a", A2(F32))},
      {up("i", U64, 0, size(rows),
          {let("r", I32, clamp(at(rows, {i}, I32), 0, 99)), let("c", I32, clamp(at(columns, {i}, I32), 0, 99)),
           up("p", I32, r, r + E(2), {up("q", I32, c, c + E(2), {set(at(a, {u64(p), u64(q)}, F32), flit(F32, 0))})})})},
      {chooser(true, I32), chooser(false, I32)});
  EXPECT_EQ(remarks(*nest), "");
  const nest::Statement &written = nest->statements.back();
  EXPECT_EQ(isl_set_n_basic_set(written.domain.get()), 1);
  // They are no less than 0 all the same.
  const isl::set below =
      written.domain.intersect(isl::set::universe(isl::space::unit(nest->isl.get()))
                                   .param_pw_aff_on_domain(isl::id(nest->isl.get(), nest->loops[loopOf(*nest, "p")].id))
                                   .lt_set(isl::set::universe(isl::space::unit(nest->isl.get())).pw_aff_on_domain(0)));
  EXPECT_TRUE(below.intersect(nest->assumed).is_empty());
}

} // namespace
} // namespace tangram::test
