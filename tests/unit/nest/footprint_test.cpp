#include "Nests.h"

namespace tangram::test {
namespace {

TEST_F(NestTest, FootprintsOfTiles) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), i = var("i", U64), j = var("j", U64), one = lit(U64, 1),
    three = lit(U64, 3);
  auto n = read(
      {in("a", A2(F32)), inOut("b", A2(F32))},
      {up("i", U64, 1, size(b, 0) - one,
          {up("j", U64, 1, size(b, 1) - one,
              {set(at(b, {i, j}, F32), at(a, {i - one, j}, F32) + at(a, {i + one, lit(U64, 2) * j + three}, F32))})})});
  unsigned li = loopOf(*n, "i"), lj = loopOf(*n, "j");
  auto box = nest::box(*n, {li, lj}, variableOf(*n, "a"), nest::Touched::Reads);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->extent(0, {{li, 16}, {lj, 8}}), 18);
  auto written = nest::box(*n, {li, lj}, variableOf(*n, "b"), nest::Touched::Writes);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->extent(0, {{li, 16}, {lj, 8}}), 16);
  EXPECT_EQ(written->extent(1, {{li, 16}, {lj, 8}}), 8);
  auto inner = nest::box(*n, {lj}, variableOf(*n, "b"), nest::Touched::Both);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->extent(0, {{lj, 8}}), 1);
  std::vector<std::int64_t> strideOfJ;
  for (const nest::Access &x : n->statements[0].accesses) {
    auto s = nest::strides(*n, x, lj);
    ASSERT_TRUE(s);
    strideOfJ.push_back(s->at(1));
    EXPECT_EQ(s->at(0), 0);
  }
  EXPECT_EQ(strideOfJ, (std::vector<std::int64_t>{1, 2, 1}));
}

TEST_F(NestTest, FootprintOfARow) {
  E a = var("a", A2(F32)), y = var("y", A1(F32)), i = var("i", U64), j = var("j", U64);
  auto n = read({in("a", A2(F32)), inOut("y", A1(F32))},
                {up("i", U64, 0, size(y), {up("j", U64, 0, size(a, 1), {add(at(y, {i}, F32), at(a, {i, j}, F32))})})});
  auto f = nest::footprint(*n, loopOf(*n, "j"), variableOf(*n, "y"), nest::Touched::Both);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->exact);
  EXPECT_TRUE(f->elements.dim_min_val(0).eq(0));
  isl::ctx ctx = n->isl.get();
  isl::set all = isl::set::universe(isl::space::unit(ctx));
  isl::set at3 =
      f->elements.intersect_params(all.param_pw_aff_on_domain(isl::id(ctx, "i")).eq_set(all.pw_aff_on_domain(3)));
  EXPECT_TRUE(at3.project_out_all_params().is_singleton());
  EXPECT_EQ(nest::strides(*n, n->statements[0].accesses[0], loopOf(*n, "i")).has_value(), true);
}

TEST_F(NestTest, BoxesOfSteppedLoops) {
  E a = var("a", A1(F32)), i = var("i", I32), n = var("n", I32);
  auto nest =
      read({inOut("a", A1(F32)), in("n", I32)}, {down("i", I32, n, 0, {set(at(a, {u64(i)}, F32), flit(F32, 0))}, 4)});
  auto box = nest::box(*nest, {0}, variableOf(*nest, "a"), nest::Touched::Both);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->extent(0, {{0, 8}}), 29);
  EXPECT_EQ(nest::strides(*nest, nest->statements[0].accesses[0], 0), (std::vector<std::int64_t>{-4}));
}

TEST_F(NestTest, BoxesOfClampedIndices) {
  E a = var("a", A1(F32)), b = var("b", A1(F32)), i = var("i", I32), k = var("k", I32), n = var("n", I32);
  E index = clamp(i + k - E(4), 0, n - E(1));
  auto nest = read({in("a", A1(F32)), inOut("b", A1(F32)), in("n", I32)},
                   {up("i", I32, 0, n, {up("k", I32, 0, 9, {add(at(b, {u64(i)}, F32), at(a, {u64(index)}, F32))})})},
                   {chooser(true, I32), chooser(false, I32)});
  EXPECT_EQ(remarks(*nest), "");
  unsigned li = loopOf(*nest, "i"), lk = loopOf(*nest, "k");
  auto box = nest::box(*nest, {li, lk}, variableOf(*nest, "a"), nest::Touched::Reads);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->extent(0, {{li, 32}, {lk, 9}}), 40);
  for (const nest::Access &x : nest->statements[0].accesses) {
    if (x.variable != variableOf(*nest, "a")) continue;
    EXPECT_EQ(nest::strides(*nest, x, li), std::nullopt); // not at the ends
    EXPECT_EQ(x.choices.size(), 3u);                      // i + k - 4, 0, n - 1
  }
}

} // namespace
} // namespace tangram::test
