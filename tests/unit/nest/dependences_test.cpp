#include "Nests.h"

namespace tangram::test {
namespace {

TEST_F(NestTest, ProductOfMatrices) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), c = var("c", A2(F32)), s = var("s", F32);
  E i = var("i", U64), j = var("j", U64), k = var("k", U64);
  Ps params = {in("a", A2(F32)), in("b", A2(F32)), inOut("c", A2(F32))};
  auto local = read(params, {up("i", U64, 0, size(c, 0),
                                {up("j", U64, 0, size(c, 1),
                                    {let("s", F32, flit(F32, 0)),
                                     up("k", U64, 0, size(a, 1), {add(s, at(a, {i, k}, F32) * at(b, {k, j}, F32))}),
                                     set(at(c, {i, j}, F32), s)})})});
  EXPECT_EQ(carried(*local, "i"), "nothing");
  EXPECT_EQ(carried(*local, "j"), "nothing");
  EXPECT_EQ(carried(*local, "k"), "+ s");
  EXPECT_FALSE(nest::Dependences(*local).carried(2).reductions.at(0).exact);
  auto direct = read(
      params,
      {up("i", U64, 0, size(c, 0),
          {up("j", U64, 0, size(c, 1),
              {up("k", U64, 0, size(a, 1), {add(at(c, {i, j}, F32), at(a, {i, k}, F32) * at(b, {k, j}, F32))})})})});
  EXPECT_EQ(carried(*direct, "i"), "nothing");
  EXPECT_EQ(carried(*direct, "k"), "+ c");
}

TEST_F(NestTest, RowsOfAContainerOfOneDimension) {
  auto rows = [&](const Type &type, const std::function<E(E, E, E)> &written, const std::function<E(E, E, E)> &readAt,
                  const std::function<E(E)> &end) {
    E a = var("a", A1(F32)), i = var("i", type), j = var("j", type), n = var("n", type), m = var("m", type);
    return read({inOut("a", A1(F32)), in("n", type), in("m", type)},
                {up("i", type, 0, n,
                    {up("j", type, 0, end(m),
                        {set(at(a, {u64(written(i, j, m))}, F32), at(a, {u64(readAt(i, j, m))}, F32))})})});
  };
  auto place = [](E i, E j, E m) { return i * m + j; };
  auto whole = [](E m) { return m; };
  auto own = rows(U64, place, place, whole);
  EXPECT_EQ(carried(*own, "i"), "nothing");
  EXPECT_EQ(carried(*own, "j"), "nothing");
  EXPECT_TRUE(own->products.empty());
  EXPECT_EQ(carried(*rows(I32, place, place, whole), "i"), "nothing");
  // Of 32 bits without a sign, where no product wraps around.
  auto narrow = rows(U32, place, place, whole);
  EXPECT_EQ(carried(*narrow, "i"), "nothing");
  EXPECT_EQ(narrow->products.size(), 1u);
  // The row before; a row that reaches into the next one; rows of different lengths.
  auto before = rows(I32, place, [](E i, E j, E m) { return (i - E(1)) * m + j; }, whole);
  EXPECT_NE(carried(*before, "i"), "nothing");
  EXPECT_EQ(carried(*before, "j"), "nothing");
  EXPECT_NE(carried(*rows(I32, place, place, [](E m) { return m + E(1); }), "i"), "nothing");
  EXPECT_NE(carried(*rows(I32, place, [](E i, E j, E m) { return i * (m + E(1)) + j; }, whole), "i"), "nothing");
  EXPECT_NE(carried(*rows(
                        I32, place, [](E i, E j, E m) { return i * cast(I32, cast(ast::Scalar::U8, m)) + j; }, whole),
                    "i"),
            "nothing");
  // A column beside the own one, as long as there is one.
  auto beside = rows(I32, place, [](E i, E j, E m) { return i * m + j + E(1); }, [](E m) { return m - E(1); });
  EXPECT_EQ(carried(*beside, "i"), "nothing");
  EXPECT_NE(carried(*beside, "j"), "nothing");
}

TEST_F(NestTest, BlocksOfALengthThatIsNoNumber) {
  E a = var("a", A1(F32)), b = var("b", I32), i = var("i", I32), n = var("n", I32), m = var("m", I32);
  auto blocks = [&](E end) {
    return read({inOut("a", A1(F32)), in("n", I32), in("m", I32)},
                {up("b", I32, 0, n, {up("i", I32, b * m, end, {set(at(a, {u64(i)}, F32), flit(F32, 0))})})});
  };
  EXPECT_EQ(carried(*blocks((b + E(1)) * m), "b"), "nothing");
  EXPECT_EQ(carried(*blocks(b * m + m), "b"), "nothing");
  EXPECT_NE(carried(*blocks((b + E(2)) * m), "b"), "nothing");
  EXPECT_NE(carried(*blocks((b + E(1)) * n), "b"), "nothing");
}

TEST_F(NestTest, ClampedIndices) {
  E a = var("a", A1(F32)), i = var("i", I32), n = var("n", I32), x = var("x", I32);
  std::vector<const ast::Function *> functions{chooser(true, I32), chooser(false, I32),
                                               function("square_s32", I32, {in("x", I32)}, {ret(x * x)})};
  auto reads = [&](E index) {
    return read({inOut("a", A1(F32)), in("n", I32)},
                {up("i", I32, 0, n, {set(at(a, {u64(i)}, F32), at(a, {u64(index)}, F32))})}, functions);
  };
  auto before = reads(clamp(i - E(1), 0, n - E(1)));
  EXPECT_NE(carried(*before, "i"), "nothing");
  auto same = reads(clamp(i, 0, n - E(1)));
  EXPECT_EQ(carried(*same, "i"), "nothing");
  EXPECT_EQ(remarks(*same), "");
  auto chosen = reads(select(i < n, i, n - E(1)));
  EXPECT_EQ(carried(*chosen, "i"), "nothing");
  auto square = reads(E(make<ast::Call>(I32, std::string("square_s32"), raw({i}))));
  EXPECT_EQ(remarks(*square), "index is not affine: a[square_s32(i)]\n");
}

TEST_F(NestTest, Stencils) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), i = var("i", U64), j = var("j", U64), n = var("n", U64),
    one = lit(U64, 1);
  auto apart =
      read({in("a", A2(F32)), inOut("b", A2(F32)), in("n", U64)},
           {up("i", U64, 1, n,
               {up("j", U64, 1, n, {set(at(b, {i, j}, F32), at(a, {i - one, j}, F32) + at(a, {i, j + one}, F32))})})});
  EXPECT_EQ(carried(*apart, "i"), "nothing");
  EXPECT_EQ(carried(*apart, "j"), "nothing");
  auto inPlace =
      read({inOut("a", A2(F32)), in("n", U64)},
           {up("i", U64, 1, n, {up("j", U64, 0, n, {set(at(a, {i, j}, F32), at(a, {i - one, j + one}, F32))})})});
  EXPECT_EQ(carried(*inPlace, "i"),
            "in loop 'i', 'a[i - 1][j + 1]' reads what the iteration before writes as 'a[i][j]'");
  EXPECT_EQ(carried(*inPlace, "j"), "nothing");
}

TEST_F(NestTest, ReductionsByEveryOperator) {
  E a = var("a", A1(F32)), b = var("b", A1(U32)), i = var("i", U64);
  E m = var("m", F32), l = var("l", F32), s = var("s", F32), p = var("p", U32), q = var("q", U32), c = var("c", U32);
  E x = at(a, {i}, F32), y = at(b, {i}, U32);
  auto n = read({in("a", A1(F32)), in("b", A1(U32))},
                {let("m", F32, flit(F32, 0)), let("l", F32, flit(F32, 0)), let("s", F32, flit(F32, 1)),
                 let("p", U32, 0), let("q", U32, 0), let("c", U32, 0),
                 up("i", U64, 0, size(a),
                    {set(m, select(m < x, x, m)), when(x < l, {set(l, x)}), run(assign(s, x, ast::AssignOp::Mul)),
                     run(assign(p, y, ast::AssignOp::Or)), set(q, bin(U32, ast::BinaryOp::Xor, y, q)), run(inc(c))}),
                 ret(m + l + s)});
  EXPECT_EQ(carried(*n, "i"), "max m, min l, * s, | p, ^ q, + c");
}

class SelectionTest : public NestTest {
protected:
  /// What a loop over i carries, with an x, m, at and w declared around it.
  std::string of(const Ss &body, const Type &element = F32) {
    auto n = read({in("a", A1(element)), in("b", A1(I32)), inOut("out", A1(I32))},
                  {let("m", F32, flit(F32, 0)), let("at", I32, 0), let("w", F64, flit(F64, 0)),
                   up("i", U64, 0, size(var("a", A1(element))), body),
                   set(::tangram::test::program::at(out, {0}, I32), at)});
    last_ = codelet_;
    return carried(*n, "i");
  }
  const ast::Codelet *last_ = nullptr;
  E m = (arena = &arena_, var("m", F32)), at = var("at", I32), w = var("w", F64), i = var("i", U64),
    out = var("out", A1(I32)), x = element("a", F32), y = element("b", I32);
  E element(const std::string &of, const Type &t) const {
    return ::tangram::test::program::at(var(of, A1(t)), {var("i", U64)}, t);
  }
};

TEST_F(SelectionTest, AnExtremeValueWithItsPlaceIsAReduction) {
  const S place = set(at, cast(I32, i)), value = set(m, x);
  EXPECT_EQ(of({when(x > m, {value, place})}), "max m with at");
  EXPECT_EQ(of({when(m < x, {place, value})}), "max m with at");
  EXPECT_EQ(of({when(x >= m, {value, place})}), "max m with at");
  EXPECT_EQ(of({when(x < m, {value, place})}), "min m with at");
  EXPECT_EQ(of({when(m >= x, {value, place, set(w, cast(F64, x * x))})}), "min m with at with w");
  // Twice in an iteration, beside a sum, on a further condition.
  EXPECT_EQ(of({when(x > m, {value, place}), when(x + x > m, {set(m, x + x), set(at, y)}), set(w, w + cast(F64, x))}),
            "max m with at, + w");
  EXPECT_EQ(of({when(y > 3, {when(x > m, {value, place})})}), "max m with at");
}

TEST_F(SelectionTest, WhatElseIsDoneWithTheScalarsIsNoReduction) {
  const S place = set(at, cast(I32, i)), value = set(m, x);
  const std::vector<Ss> none = {
      {when(x > m, {value, place}), set(element("out", I32), at)},               // read in between
      {when(x > m, {value, set(at, at + lit(I32, 1))})},                         // counted
      {when(x > m, {set(m, x + x), place})},                                     // something else is compared
      {when(x > m, {value, set(w, cast(F64, m))})},                              // of the value before
      {when(x > m, {value, place}), when(x < m, {value, place})},                // both ways
      {when(x > m, {value, place}), when(x >= m, {value, place})},               // equal values both ways
      {when(x > m, {value, place}), when(x > m, {value, set(w, cast(F64, x))})}, // of other scalars
      {when(x != m, {value, place})},
      {when(x > m, {value, place}, {set(at, lit(I32, 0))})},
      {when(m > lit(F32, 0), {when(x > m, {value, place})})}};
  for (const Ss &body : none) EXPECT_EQ(of(body).rfind("in loop 'i', ", 0), 0u) << of(body);
}

TEST_F(SelectionTest, IsFoundInOtherSpellings) {
  auto spelled = [&](const Ss &body) {
    of(body);
    last_ = nest::withSelections(last_, arena_);
    return carried(*nest::read(*module_, *last_), "i");
  };
  const S place = set(at, cast(I32, i)), value = set(m, x);
  EXPECT_EQ(spelled({set(at, select(x > m, cast(I32, i), at)), set(m, select(m < x, x, m))}), "max m with at");
  EXPECT_EQ(spelled({set(at, select(x <= m, cast(I32, i), at)), set(w, select(x <= m, cast(F64, x), w)),
                     set(m, select(x <= m, x, m))}),
            "min m with at with w");
  EXPECT_EQ(spelled({when(x > m, {place}), when(x > m, {value})}), "max m with at");
  EXPECT_EQ(spelled({when(both(y > 3, x > m), {value, place})}), "max m with at");
  EXPECT_EQ(spelled({when(both(x > m, i > lit(U64, 3)), {value, place})}), "max m with at");
  // What is read behind a condition, where the condition does not hold, may not be there.
  EXPECT_EQ(spelled({when(both(x > m, y > 3), {value, place})}).find("max"), std::string::npos);
  // -0 and 0 are equal: one of the two is kept.
  EXPECT_EQ(spelled({set(at, select(x >= m, cast(I32, i), at)), set(m, select(m < x, x, m))}).find("max"),
            std::string::npos);
  EXPECT_EQ(spelled({set(m, select(m < x, x, m)), set(at, select(x > m, cast(I32, i), at))}).find("max"),
            std::string::npos);
}

TEST_F(NestTest, WhatReadsTheSumOnItsWayIsNoReduction) {
  E a = var("a", A1(I32)), b = var("b", A1(I32)), i = var("i", U64), s = var("s", I32);
  auto scan = read({in("a", A1(I32)), inOut("b", A1(I32))},
                   {let("s", I32, 0), up("i", U64, 0, size(a), {add(s, at(a, {i}, I32)), set(at(b, {i}, I32), s)})});
  EXPECT_EQ(carried(*scan, "i"), "in loop 'i', 's' reads what an earlier iteration writes as 's'");
  auto twice =
      read({in("a", A1(I32))}, {let("s", I32, 0), up("i", U64, 0, size(a), {add(s, s * at(a, {i}, I32))}), ret(s)});
  EXPECT_NE(carried(*twice, "i"), "+ s");
  auto mixed =
      read({in("a", A1(I32))},
           {let("s", I32, 0),
            up("i", U64, 0, size(a), {add(s, at(a, {i}, I32)), run(assign(s, at(a, {i}, I32), ast::AssignOp::Mul))}),
            ret(s)});
  EXPECT_NE(carried(*mixed, "i"), "+ s");
}

TEST_F(NestTest, ScalarsOfAnIteration) {
  E a = var("a", A2(F32)), b = var("b", A1(F32)), i = var("i", U64), j = var("j", U64), s = var("s", F32);
  Ss body = {set(s, flit(F32, 0)), up("j", U64, 0, size(a, 1), {add(s, at(a, {i, j}, F32))}), set(at(b, {i}, F32), s)};
  Ps params = {in("a", A2(F32)), inOut("b", A1(F32))};
  auto own = read(params, {let("s", F32, flit(F32, 0)), up("i", U64, 0, size(a, 0), body)});
  EXPECT_EQ(carried(*own, "i"), "nothing, private s");
  auto live = read(params, {let("s", F32, flit(F32, 0)), up("i", U64, 0, size(a, 0), body), ret(s)});
  EXPECT_NE(carried(*live, "i").find("'s'"), std::string::npos);
  auto sometimes = read(
      params, {let("s", F32, flit(F32, 0)),
               up("i", U64, 0, size(a, 0), {when(lit(U64, 3) < i, {set(s, flit(F32, 0))}), set(at(b, {i}, F32), s)})});
  EXPECT_EQ(carried(*sometimes, "i").find("private"), std::string::npos);
  // What a loop reads and only the one around it sets is no iteration's own.
  auto around =
      read(params, {up("i", U64, 0, size(a, 0),
                       {let("s", F32, flit(F32, 0)), up("j", U64, 0, size(a, 1), {set(s, s * s + at(a, {i, j}, F32))}),
                        set(at(b, {i}, F32), s)})});
  EXPECT_EQ(carried(*around, "i"), "nothing");
  EXPECT_NE(carried(*around, "j").find("'s'"), std::string::npos);
  EXPECT_EQ(carried(*around, "j").find("private"), std::string::npos);
  // Behind the loop it is set again.
  auto behind = read(params, {let("s", F32, flit(F32, 0)),
                              up("i", U64, 0, size(a, 0), {set(s, at(b, {i}, F32)), set(at(b, {i}, F32), s * s)}),
                              set(s, flit(F32, 0)), set(at(b, {u64(0)}, F32), s)});
  EXPECT_EQ(carried(*behind, "i"), "nothing, private s");
}

TEST_F(NestTest, Atomics) {
  E in_ = var("in", A1(U32)), bins = var("bins", A1(U32)), i = var("i", U64);
  auto n = read({in("in", A1(U32)), inOut("bins", A1(U32))},
                {up("i", U64, 0, size(in_),
                    {run(make<ast::Atomic>(U32, ast::AtomicOp::Add, at(bins, {u64(at(in_, {i}, U32))}, U32).e,
                                           raw({lit(U32, 1)})))})});
  EXPECT_EQ(carried(*n, "i"), "+ atomic bins");
}

TEST_F(NestTest, AlternatingPlanes) {
  // t writes plane (t + 1) mod 2 and reads plane t mod 2.
  E a = var("a", A2(F32)), t = var("t", U64), i = var("i", U64), n = var("n", U64), two = lit(U64, 2),
    one = lit(U64, 1);
  auto nest = read({inOut("a", A2(F32)), in("n", U64)},
                   {up("t", U64, 0, n,
                       {up("i", U64, 1, n, {set(at(a, {(t + one) % two, i}, F32), at(a, {t % two, i - one}, F32))})})});
  EXPECT_EQ(carried(*nest, "i"), "nothing");
  EXPECT_NE(carried(*nest, "t"), "nothing");
}

TEST_F(NestTest, PairsOfElementsThatOneOfTwoIterationsHas) {
  E a = var("a", A1(U32)), i = var("i", U64), m = var("m", U64), p = var("p", U64), k = var("k", U64);
  const auto with = [](ast::BinaryOp op, E x, E y) { return bin(U64, op, x, y); };
  const E partner = with(ast::BinaryOp::Xor, i, m), own = at(a, {i}, U32), other = at(a, {p}, U32);
  const Ss swap = {let("t", U32, own), set(own, other), set(other, var("t", U32))};
  const auto of = [&](const Ss &body) {
    return carried(
        *read({inOut("a", A1(U32)), in("m", U64), in("k", U64), in("s", I32)}, {up("i", U64, 0, size(a), body)}), "i");
  };
  const E named = partner;
  EXPECT_EQ(of({let("p", U64, named), when(p > i, swap)}), "nothing");
  EXPECT_EQ(of({let("p", U64, named), when(i <= p, swap)}), "nothing");
  EXPECT_EQ(of({let("p", U64, named), when(p < i, {next()}), swap[0], swap[1], swap[2]}), "nothing");
  EXPECT_EQ(of({let("p", U64, named), when(both(p > i, other < own), swap)}), "nothing");
  // What partners share is that a bit is not set in one of them.
  const E clear = with(ast::BinaryOp::And, i, m) == lit(U64, 0);
  EXPECT_EQ(of({let("p", U64, i + m), when(clear, swap)}), "nothing");
  EXPECT_EQ(of({let("p", U64, with(ast::BinaryOp::Or, m, i)), when(clear, swap)}), "nothing");
  // Both of a pair touch it, by no condition or by one that says nothing.
  EXPECT_NE(of({let("p", U64, named), swap[0], swap[1], swap[2]}), "nothing");
  EXPECT_NE(of({let("p", U64, named), when(k > i, swap)}), "nothing");
  EXPECT_NE(of({let("p", U64, named), when(other < own, swap)}), "nothing");
  EXPECT_NE(of({let("p", U64, named), when(p > i, swap, {set(own, other)})}), "nothing");
  // Another partner than that of the condition, one that is not its own inverse, and one that changes.
  EXPECT_NE(of({let("p", U64, with(ast::BinaryOp::Xor, i, k)), when(partner > i, swap)}), "nothing");
  EXPECT_NE(of({let("p", U64, i + m), when(p > i, swap)}), "nothing");
  EXPECT_NE(of({let("p", U64, named), when(p > i, swap), add(m, lit(U64, 1))}), "nothing");
  EXPECT_NE(of({let("p", U64, named), add(p, lit(U64, 1)), when(p > i, swap)}), "nothing");
  // A number below 0 becomes two masks by two ways of widening it.
  const E s = var("s", I32), ones = with(ast::BinaryOp::Xor, i, cast(U64, s));
  const E zeros = with(ast::BinaryOp::Xor, i, cast(U64, cast(U32, s)));
  EXPECT_EQ(of({let("p", U64, ones), when(ones > i, swap)}), "nothing");
  EXPECT_NE(of({let("p", U64, zeros), when(ones > i, swap)}), "nothing");
}

TEST_F(NestTest, ATooLongQuestionIsNotKnown) {
  E a = var("a", A2(F32)), i = var("i", U64), j = var("j", U64);
  auto n =
      read({inOut("a", A2(F32))},
           {up("i", U64, 0, size(a, 0), {up("j", U64, 0, size(a, 1), {set(at(a, {i, j}, F32), at(a, {j, i}, F32))})})});
  n->isl.setLimit(20);
  Carried c = nest::Dependences(*n).carried(0);
  ASSERT_EQ(c.kind, Carried::Kind::Dependence);
  EXPECT_FALSE(c.dependence->certain);
}

} // namespace
} // namespace tangram::test
