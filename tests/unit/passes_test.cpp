// The lowering passes: each program must compute the same in every form from composed to mangled.
#include "passes/Harness.h"

#include "tangram/ast/Walk.h"

using namespace tangram;
using namespace tangram::test;
using namespace tangram::test::program;

namespace {

// Programs run fifty times slower.
#ifdef TANGRAM_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class Passes : public PassHarness {
protected:
  using C = const ast::Codelet *;

  const E kIn = var("in", A1(I32));
  Ps sumParams() { return {in("in", A1(I32))}; }
  const ast::Spectrum *sumSpectrum() { return spectrum("sum", I32, sumParams()); }
  std::vector<std::vector<Value>> sizes() {
    std::vector<std::vector<Value>> calls;
    for (std::size_t n : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 31u, 100u}) calls.push_back({vector(n)});
    return calls;
  }

  /// Figure 4.3(a).
  C serial() {
    E i = var("i", U32), accum = var("accum", I32);
    return codelet("a", sumParams(),
                   {let("len", U32, cast(U32, size(kIn))), let("accum", I32, 0),
                    loop("i", var("len", U32), {add(accum, at(kIn, {i}, I32))}), ret(accum)});
  }
  /// Figure 4.3(b).
  C tree() {
    E id = var("id", U32), s = var("s", U32), len = var("len", U32);
    auto tmp = [](E i) { return at(var("tmp", I32), {i}, I32); };
    return codelet("b", sumParams(),
                   {local("tmp", I32, {laneCount()}, true), let("len", U32, cast(U32, size(kIn))),
                    let("id", U32, laneId()), set(tmp(id), select(id < len, at(kIn, {id}, I32), 0)),
                    loop(let("s", U32, 1), s < laneCount(), assign(s, 2, ast::AssignOp::Mul),
                         {when(id >= s, {add(tmp(id), tmp(id - s))})}),
                    ret(tmp(laneCount() - 1))},
                   true);
  }
  /// Figure 4.3(c) and (d); the latter with an end that drops nothing.
  C tiled(const std::string &name, bool strided, int p, const ast::SpectrumCall *each, const ast::SpectrumCall *all,
          Policy policy, const std::string &level) {
    E P = var("p", U32), len = var("len", U32), tile = var("tile", U32);
    E parts = strided ? partition(kIn, P, seq(lit(U32, 0), lit(U32, 1), P), seq(P), seq(len))
                      : partition(kIn, P, seq(lit(U32, 0), tile, len), seq(lit(U32, 1)), seq(tile, tile, len + 1));
    const ast::Map *m = map(policy, level, each, {parts});
    const ast::SpectrumCall *outer = arena_.derive(all, [&](ast::SpectrumCall &c) { c.args = raw({m}); });
    return codelet(
        name, sumParams(),
        {tunable("p", U32, p), let("len", U32, cast(U32, size(kIn))), let("tile", U32, (len + P - 1) / P), ret(outer)});
  }
  const ast::SpectrumCall *sumAt(C c, const std::string &level, ast::Texts devolved = {}) {
    return call("sum", I32, c, level, {}, std::move(devolved));
  }
  /// Runs `body` as the only codelet of i32 f(int n, Array<1,int> out).
  const ast::Module *body(Ss stmts, std::vector<const ast::Spectrum *> more = {}) {
    Ps params{in("n", I32), inOut("out", A1(I32))};
    more.push_back(spectrum("f", I32, params));
    return module(call("f", I32, codelet("a", params, std::move(stmts)), "thread", {}), more);
  }
  std::vector<std::vector<Value>> someN() {
    std::vector<std::vector<Value>> calls;
    for (int n : {-3, -1, 0, 1, 2, 3, 4, 5, 7, 10}) calls.push_back({i32(n), vector(12)});
    return calls;
  }
  const E n = var("n", I32), out = var("out", A1(I32));
  E outAt(E i) { return at(out, {i}, I32); }
};

TEST_F(Passes, SumOfFigure56) {
  const ast::SpectrumCall *a = sumAt(serial(), "thread");
  const ast::SpectrumCall *rest = sumAt(serial(), "process", {"thread"});
  const ast::Module *sum =
      module(sumAt(tiled("c", false, 4, a, rest, Policy::Distribute, "process"), "process"), {sumSpectrum()});
  checkLowering(sum, sizes());
}

TEST_F(Passes, SumsOfAllShapes) {
  auto a = [&](const std::string &level, ast::Texts devolved = {}) { return sumAt(serial(), level, devolved); };
  auto b = [&] { return sumAt(tree(), "thread"); };
  auto check = [&](const ast::SpectrumCall *top) { checkLowering(module(top, {sumSpectrum()}), sizes()); };
  for (bool strided : {false, true})
    for (int p : kSanitized ? std::vector{3, 40} : std::vector{1, 3, 8, 40}) {
      check(sumAt(tiled("d", strided, p, a("thread"), a("process", {"thread"}), Policy::Distribute, "process"),
                  "process"));
      // Tiles of tiles, with a guarded cooperative codelet for what is small enough.
      E small = size(kIn) <= cast(U64, laneCount());
      const ast::SpectrumCall *coop = guarded(b(), {small}, a("thread"));
      C inner = tiled("d", strided, p, a("lane"), coop, Policy::Distribute, "thread");
      check(sumAt(tiled("c", false, p, sumAt(inner, "thread"), a("process", {"thread"}), Policy::Distribute, "process"),
                  "process"));
      C ilp = tiled("d", strided, 4, a("ilp"), a("lane"), Policy::Distribute, "lane");
      check(sumAt(tiled("c", strided, p, sumAt(ilp, "lane"), a("thread"), Policy::Serialize, "thread"), "process",
                  {"thread"}));
    }
}

TEST_F(Passes, CooperativeFitsOnly) {
  std::vector<std::vector<Value>> calls;
  for (std::size_t count = 0; count <= 8; ++count) calls.push_back({vector(count)});
  checkLowering(module(sumAt(tree(), "thread"), {sumSpectrum()}), calls);
}

TEST_F(Passes, SplitMaps) {
  for (auto [factor, grain] : {std::pair(1, 0), {3, 0}, {4, 0}, {50, 0}, {3, 4}, {4, 32}, {50, 4}}) {
    const ast::Map *inner = map(Policy::Serialize, "thread", sumAt(serial(), "thread"),
                                {partition(kIn, var("p", U32), seq(lit(U32, 0), lit(U32, 3), cast(U32, size(kIn))),
                                           seq(lit(U32, 1)), seq(lit(U32, 3), lit(U32, 3), cast(U32, size(kIn)) + 1))});
    const ast::SpectrumCall *rest =
        call("sum", I32, serial(), "process", {split("process", factor, inner, grain)}, {"thread"});
    C c = codelet("c", sumParams(), {tunable("p", U32, 34), ret(rest)});
    checkLowering(module(sumAt(c, "process"), {sumSpectrum()}), sizes());
  }
}

// ---- returns -------------------------------------------------------------------------------------------

TEST_F(Passes, EarlyReturns) {
  E i = var("i", U32), j = var("j", U32);
  auto mark = [&](int k) { return add(outAt(0), k); };
  std::vector<Ss> bodies = {
      {ret(n)},
      {when(n > 3, {ret(1)}), mark(7), ret(2)},
      {when(n > 3, {ret(1)}, {when(n > 1, {mark(1), ret(5)})}), mark(7), ret(2)},
      {when(n > 3, {mark(1), when(n > 5, {ret(9)}), mark(2)}, {when(n < 0, {ret(5)}), mark(4)}), mark(7), ret(2)},
      {when(n > 3, {ret(1)}, {ret(2)})},
      {block({when(n > 3, {ret(1)}), mark(3)}), mark(4), ret(0)},
      {block({block({ret(4)})}), mark(4), ret(0)},
      {loop("i", cast(U32, select(n > 0, n, lit(I32, 0))), {when(i > 5, {ret(cast(I32, i))}), mark(1)}), mark(100),
       ret(-1)},
      {loop("i", lit(U32, 10), {when(outAt(cast(U64, i)) > 50, {ret(cast(I32, i))})}), ret(-1)},
      {loop("i", lit(U32, 4),
            {loop("j", lit(U32, 4), {when(cast(I32, i * 4 + j) == n, {mark(1), ret(cast(I32, j))}), mark(1)}),
             mark(10)}),
       mark(100), ret(-1)},
      {let("k", I32, 0),
       whileLoop(lit(B, 1), {when(var("k", I32) > n, {ret(var("k", I32))}), run(inc(var("k", I32))),
                             when(var("k", I32) > 6, {leave()})}),
       mark(3), ret(-2)},
      {let("k", I32, 0),
       doWhile(
           {run(inc(var("k", I32))), when(var("k", I32) == 2, {next()}), when(var("k", I32) == n, {ret(77)}), mark(1)},
           var("k", I32) < 5),
       mark(50), ret(-2)},
      {choose(n, {option({0, 1}, {ret(10)}), option({2}, {mark(1)}), option({3}, {mark(2), leave()}),
                  option({}, {ret(20)})}),
       mark(5), ret(30)},
      {loop("i", lit(U32, 5),
            {choose(cast(I32, i) + n,
                    {option({3}, {mark(1), ret(1)}), option({4}, {leave()}), option({}, {mark(2), next()})}),
             mark(9)}),
       mark(70), ret(30)},
      {loop("i", lit(U32, 5), {when(n == 2, {loop("j", lit(U32, 3), {when(j == 1, {ret(3)})})}), mark(1)}), ret(0)},
      {when(n > 2, {loop("i", lit(U32, 5), {when(cast(I32, i) == n - 2, {ret(8)})})}), mark(11), when(n == 1, {ret(6)}),
       mark(12), ret(5)},
  };
  for (const Ss &b : bodies) checkLowering(body(b), someN());
}

TEST_F(Passes, NoFlagWhereNothingFollows) {
  E i = var("i", U32);
  auto flags = [&](Ss stmts) {
    const ast::Module *m = apply("return-promotion", body(std::move(stmts)));
    unsigned count = 0;
    ast::walk(m->kernels[0], [&](const ast::Declare &d) { count += d.name == "returned"; });
    return count;
  };
  EXPECT_EQ(flags({when(n > 1, {ret(1)}), ret(2)}), 0u);
  EXPECT_EQ(flags({when(n > 1, {ret(1)}, {when(n < 0, {ret(3)})}), ret(2)}), 0u);
  EXPECT_EQ(flags({when(n > 1, {when(n > 3, {ret(1)})}, {when(n < 0, {ret(3)})}), ret(2)}), 1u);
  EXPECT_EQ(flags({loop("i", lit(U32, 4), {when(i > 2, {ret(1)})}), ret(2)}), 1u);
  EXPECT_EQ(flags({loop("i", lit(U32, 4), {when(i > 2, {ret(1)})})}), 0u);
}

// ---- calls in expressions ------------------------------------------------------------------------------

class Calls : public Passes {
protected:
  /// i32 g(int x, Array out): counts its calls in out[11] and returns something of x.
  const ast::SpectrumCall *g(E x) {
    Ps params{in("x", I32), inOut("log", A1(I32))};
    E log = var("log", A1(I32)), X = var("x", I32);
    E last = at(log, {11}, I32);
    C c = codelet("g", params, {set(last, last * 3 + X), when(X > 4, {ret(X - 10)}), ret(X * 2)});
    return call("g", I32, c, "thread", {x, out});
  }
  const ast::Spectrum *gSpectrum() { return spectrum("g", I32, {in("x", I32), inOut("log", A1(I32))}); }
  void check(Ss stmts) { checkLowering(body(std::move(stmts), {gSpectrum()}), someN()); }
};

TEST_F(Calls, Operators) {
  check({ret(E(g(n)) + E(g(n + 1)) * E(g(E(g(n)) + 2)))});
  check({ret(outAt(11) + E(g(n)))}); // left to right where C++ leaves it open
  check({let("k", I32, 5), ret(var("k", I32) + E(g(n)) + postInc(var("k", I32)))});
  check({set(outAt(cast(U64, E(g(lit(I32, 0))))), E(g(n))), ret(0)});
  check({add(outAt(0), E(g(n))), ret(outAt(0))});
  check({ret(comma(g(n), g(n + 1)))});
  check({ret(cast(I32, E(g(n)) < E(g(n + 2))))});
}

TEST_F(Calls, ShortCircuits) {
  check({ret(cast(I32, both(n > 2, E(g(n)) > 0)))});
  check({ret(cast(I32, either(E(g(n)) > 0, E(g(n + 1)) > 3)))});
  check({ret(cast(I32, both(either(n > 2, E(g(n)) > 0), negated(E(g(2)) == 0))))});
  check({ret(select(n > 2, g(n), 3))});
  check({ret(select(E(g(n)) > 2, E(g(1)) + 1, select(n > 0, g(2), g(3))))});
  check({run(both(n > 1, E(g(n)) > 0)), run(either(n > 1, E(g(n)) > 0)), run(cast(V, select(n > 1, g(1), g(2)))),
         ret(0)});
  check({when(both(n > 0, E(g(n)) > 4), {add(outAt(2), 1)}, {add(outAt(3), g(1))}), ret(0)});
}

TEST_F(Calls, LoopHeads) {
  E k = var("k", I32);
  Ss odd{run(inc(k)), when(k == 3, {next()}), when(k > 8, {leave()}), add(outAt(1), k)};
  check({let("k", I32, 0), whileLoop(E(g(k)) < n + 6, odd), ret(k)});
  check({let("k", I32, 0), doWhile(odd, E(g(k)) < n + 6), ret(k)});
  check({let("k", I32, 0), doWhile({run(inc(k)), add(outAt(1), k)}, both(k < 5, E(g(k)) < n + 6)), ret(k)});
  Ss light{when(k == 2, {next()}), when(k > 50, {leave()}), add(outAt(1), k)}, plain{add(outAt(1), k)};
  for (const Ss &b : {light, plain}) {
    check({loop(let("k", I32, E(g(n))), k < 12, inc(k), b), ret(0)});
    check({loop(let("k", I32, 0), both(E(g(k)) < n + 6, k < 9), inc(k), b), ret(0)});
    check({loop(let("k", I32, 0), k < 9, assign(k, k + 1 + E(g(k)) * 0), b), ret(0)});
    check({loop(let("k", I32, 0), both(k<9, E(g(k))> - 9), assign(k, k + 1 + E(g(1)) * 0), b), ret(0)});
  }
  check({choose(g(n), {option({2, 4}, {add(outAt(1), g(1)), leave()}), option({-5}, {add(outAt(2), 1)}),
                       option({}, {set(outAt(3), g(2))})}),
         ret(0)});
}

TEST_F(Calls, Parameters) {
  // A parameter that its codelet changes, a name that the caller has too, and an in/out scalar.
  E x = var("x", I32), y = var("y", I32);
  C c = codelet("h", {in("x", I32), inOut("y", I32)}, {add(x, 1), add(y, x), set(x, x * 2), ret(x)});
  auto h = [&](E a, E b) { return E(call("h", I32, c, "thread", {a, b})); };
  checkLowering(body({let("x", I32, n), let("y", I32, 3), let("r", I32, h(x, y)), add(outAt(1), y),
                      add(outAt(2), h(lit(I32, 4), outAt(5))),
                      add(outAt(3), h(outAt(4), outAt(cast(U64, h(lit(I32, 0), y)) % 12))), ret(var("r", I32) + x)},
                     {spectrum("h", I32, {in("x", I32), inOut("y", I32)})}),
                someN());
}

// ---- partitions and maps ---------------------------------------------------------------------------------

class Partitions : public Passes {
protected:
  /// void k(Array in, Array out, int n): out[j] = sum(parts[j]) by a map; the container of results is then copied.
  const ast::Module *mapped(E parts, Policy policy = Policy::Serialize, Ss before = {}) {
    Ps params{in("in", A1(I32)), inOut("out", A1(I32)), in("n", I32)};
    E r = var("r", A1(I32)), j = var("j", U32);
    before.push_back(make<ast::Declare>(std::string("r"), A1(I32), false, false, std::vector<const ast::Expr *>{},
                                        static_cast<const ast::Tunable *>(nullptr),
                                        static_cast<const ast::Expr *>(map(policy, "process", weighted(), {parts}))));
    before.push_back(loop("j", cast(U32, size(r)), {set(at(out, {j}, I32), at(r, {j}, I32))}));
    before.push_back(set(outAt(19), cast(I32, size(r))));
    return module(call("k", V, codelet("k", params, before), "process", {}), {sumSpectrum(), spectrum("k", V, params)});
  }
  /// A sum that depends on the order of elements and on how many there are.
  const ast::SpectrumCall *weighted() {
    E i = var("i", U32), accum = var("accum", I32);
    return sumAt(codelet("w", sumParams(),
                         {let("accum", I32, cast(I32, size(kIn))),
                          loop("i", cast(U32, size(kIn)), {set(accum, accum * 3 + at(kIn, {i}, I32))}), ret(accum)}),
                 "thread");
  }
  std::vector<std::vector<Value>> all() {
    std::vector<std::vector<Value>> calls;
    for (std::size_t size : {0u, 1u, 2u, 5u, 9u, 16u})
      for (int n : {-5, -1, 0, 1, 2, 3, 7, 16, 100}) calls.push_back({vector(size), vector(20), i32(n)});
    return calls;
  }
};

TEST_F(Partitions, Clipping) {
  E len = cast(I32, size(kIn)), ulen = cast(U32, size(kIn)), zlen = size(kIn);
  std::vector<E> several = {
      partition(kIn, 4, seq(0, 3, len), seq(1), seq(3, 3, len + 1)),
      partition(kIn, 4, seq(0, n, len), seq(1), seq(n, n, len + 1)),
      partition(kIn, 4, seq(n, 1, lit(I32, 50)), seq(1), seq(len)),
      partition(kIn, 4, seq(n), seq(n), seq(n + 10)),
      partition(kIn, 4, seq(0), seq(n), seq(len - 2)),
      partition(kIn, 5, seq(lit(I32, 8), n - 2, lit(I32, 1)), seq(1), seq(len)),
      partition(kIn, 5, seq(0, 1, 5), seq(lit(U32, 5)), seq(ulen)),
      partition(kIn, 5, seq(lit(U64, 0), lit(U64, 1), lit(U64, 5)), seq(lit(U64, 5)), seq(zlen)),
      partition(kIn, 5, seq(lit(U64, 0), zlen, zlen * 2), seq(lit(U64, 1)), seq(zlen, zlen, zlen + 1)),
      partition(kIn, 5, seq(lit(U64, -3), lit(U64, -2), lit(U64, -1)), seq(lit(U64, -1)), seq(lit(U64, -1))),
      partition(kIn, 5, seq(lit(U64, 1), cast(U64, n), lit(U64, -1)), seq(cast(U64, n) * 2), seq(zlen)),
      partition(kIn, 5, seq(cast(I64, n), lit(I64, -2), cast(I64, n) - 3), seq(lit(I64, 2)),
                seq(cast(I64, n) * 1000000007, cast(I64, n), cast(I64, zlen))),
      partition(kIn, 5, seq(lit(I64, 5), cast(I64, n), lit(I64, 0)), seq(lit(I64, 1)), seq(zlen)),
      partition(kIn, 6, seq(lit(U64, 2), zlen * zlen * zlen * lit(U64, 1ll << 60), lit(U64, -1)), seq(1), seq(zlen)),
      partition(kIn, select(n > 12, lit(I32, 12), n), seq(0, 2, len), seq(1), seq(2, 2, len + 1)),
  };
  for (E parts : several) {
    checkLowering(mapped(parts), all());
    checkLowering(mapped(parts, Policy::Distribute), all());
  }
}

TEST_F(Partitions, ThroughContainers) {
  // Rows of different lengths, as in a sparse matrix; indices beyond the offsets read the last one.
  for (E count : {E(3), E(5)})
    for (const Type &t : {I32, U32, I64, U64}) {
      E offsets = var("offsets", A1(t));
      Ps params{in("in", A1(I32)), in("offsets", A1(t)), inOut("out", A1(I32))};
      E parts = partition(kIn, count, seq(offsets, 0, 1, 3), seq(1), seq(offsets, 1, 1, 4));
      const ast::Map *m = map(Policy::Distribute, "process", weighted(), {parts});
      E r = var("r", A1(I32)), j = var("j", U32);
      C c = codelet("k", params,
                    {make<ast::Declare>(std::string("r"), A1(I32), false, false, std::vector<const ast::Expr *>{},
                                        static_cast<const ast::Tunable *>(nullptr), static_cast<const ast::Expr *>(m)),
                     loop("j", cast(U32, size(r)), {set(at(out, {j}, I32), at(r, {j}, I32))})});
      std::vector<std::vector<Value>> calls;
      for (std::vector<int> values :
           {std::vector<int>{0, 2, 2, 7}, {0, 2}, {}, {3}, {5, -4, 20, 9}, {-1, 4, 4, -7, 3, 2}}) {
        std::vector<Scalar> elements;
        for (int v : values) elements.push_back(integer(t, v));
        std::int64_t count = static_cast<std::int64_t>(values.size());
        calls.push_back({vector(9), arrayValue(elements, {count}), vector(20)});
      }
      checkLowering(module(call("k", V, c, "process", {}), {sumSpectrum(), spectrum("k", V, params)}), calls);
    }
}

TEST_F(Partitions, EndsThroughAContainerDoNotBoundTheStarts) {
  // Both sequences end at n, but what the second one reads from its container may lie behind that.
  for (Policy policy : {Policy::Serialize, Policy::Distribute})
    checkLowering(mapped(partition(kIn, 4, seq(0, 3, n), seq(1), seq(kIn, 0, 1, n)), policy), all());
}

TEST_F(Partitions, Matrices) {
  E m = var("m", A2(I32)), r = var("r", Type::array(2, I32)), i = var("i", U32), j = var("j", U32);
  Ps tile{in("t", A2(I32))}, params{in("m", A2(I32)), inOut("out", A1(I32)), in("n", I32)};
  E t = var("t", A2(I32)), accum = var("accum", I32);
  const ast::SpectrumCall *each = call(
      "tile", I32,
      codelet("t", tile,
              {let("accum", I32, cast(I32, size(t))),
               loop("i", cast(U32, size(t, 0)),
                    {loop("j", cast(U32, size(t, 1)), {set(accum, accum * 3 + at(at(t, {i}, A1(I32)), {j}, I32))})}),
               ret(accum)}),
      "thread", {});
  E rows = cast(I32, size(m, 0)), cols = cast(I32, size(m, 1));
  auto let2 = [&](E parts, Policy policy) {
    return make<ast::Declare>(std::string("r"), Type::array(2, I32), false, false, std::vector<const ast::Expr *>{},
                              static_cast<const ast::Tunable *>(nullptr),
                              static_cast<const ast::Expr *>(map(policy, "process", each, {parts}, 2)));
  };
  for (Policy policy : {Policy::Serialize, Policy::Distribute}) {
    E tiles = partition(m, 2, seq(0, n, rows), seq(1), seq(n, n, rows + 1), 3, seq(0, 1, 3), seq(3), seq(cols));
    C c = codelet(
        "k", params,
        {let2(tiles, policy),
         loop("i", lit(U32, 2), {loop("j", lit(U32, 3), {set(outAt(cast(U64, i * 3 + j)), at(r, {i, j}, I32))})}),
         set(outAt(10), cast(I32, size(r) * 100 + size(r, 1)))});
    std::vector<std::vector<Value>> calls;
    for (int n : {-1, 0, 1, 2, 5})
      for (auto [a, b] : {std::pair{0, 0}, {1, 1}, {4, 7}, {5, 2}, {3, 0}}) {
        Value wide = matrix(a, b + 3, I32, n + 5); // a leading dimension larger than the row
        wide.array.sizes[1] = b;
        calls.push_back({wide, vector(12), i32(n)});
      }
    const ast::Module *program =
        module(call("k", V, c, "process", {}), {spectrum("tile", I32, tile), spectrum("k", V, params)});
    checkLowering(program, calls);
  }
}

TEST_F(Partitions, RowsElementsAndBroadcast) {
  // gemv: out[i] = alpha * dot(m[i], x) + ..., over rows; then an element-wise map over two containers.
  E m = var("m", A2(F32)), x = var("x", A1(F32)), y = var("y", A1(F32)), a = var("a", F32), b = var("b", F32);
  E i = var("i", U32), accum = var("accum", F32);
  Ps dotParams{in("a", A1(F32)), in("b", A1(F32))};
  C dot = codelet("d", dotParams,
                  {let("accum", F32, flit(F32, 0)),
                   loop("i", cast(U32, size(var("a", A1(F32)))),
                        {add(accum, at(var("a", A1(F32)), {i}, F32) * at(var("b", A1(F32)), {i}, F32))}),
                   ret(accum)});
  Ps axpyParams{in("alpha", F32), in("a", F32), inOut("b", F32)};
  C axpy = codelet("axpy", axpyParams, {set(b, var("alpha", F32) * a + b)});
  Ps params{in("m", A2(F32)), in("x", A1(F32)), inOut("y", A1(F32))};
  for (Policy policy : {Policy::Serialize, Policy::Distribute}) {
    const ast::Map *rows = map(policy, "process", call("dot", F32, dot, "thread", {}), {m, x});
    const ast::Map *all = map(policy, "process", call("axpy", V, axpy, "thread", {}), {flit(F32, 2.5), rows, y});
    C c = codelet("k", params, {run(all)});
    const ast::Module *program =
        module(call("k", V, c, "process", {}),
               {spectrum("dot", F32, dotParams), spectrum("axpy", V, axpyParams), spectrum("k", V, params)});
    checkLowering(program, {{matrix(4, 5, F32), vector(5, F32), vector(4, F32)},
                            {matrix(0, 3, F32), vector(3, F32), vector(0, F32)}});
    // The rows of m and the elements of y are counted at the call.
    const ast::Module *lowered = lower(program);
    EXPECT_TRUE(
        accepts(*lowered, *lowered->kernels[0], target_.hardware, {matrix(4, 5, F32), vector(5, F32), vector(4, F32)}));
    EXPECT_FALSE(
        accepts(*lowered, *lowered->kernels[0], target_.hardware, {matrix(4, 5, F32), vector(5, F32), vector(3, F32)}));
  }
}

TEST_F(Partitions, RequirementsReachTheEntry) {
  // dot requires equal sizes; used on rows, that is a condition on the kernel's matrix and vector if there are rows.
  E a = var("a", A1(F32)), b = var("b", A1(F32)), m = var("m", A2(F32)), x = var("x", A1(F32));
  Ps dotParams{in("a", A1(F32)), in("b", A1(F32))}, params{in("m", A2(F32)), in("x", A1(F32)), in("n", I32)};
  const ast::Spectrum *dot = arena_.derive(spectrum("dot", F32, dotParams),
                                           [&](ast::Spectrum &s) { s.conditions = raw({size(a) == size(b)}); });
  const ast::SpectrumCall *each = call("dot", F32, codelet("d", dotParams, {ret(flit(F32, 1))}), "thread", {});
  auto lowered = [&](Ss stmts) {
    return lower(module(call("k", V, codelet("k", params, stmts), "process", {}), {dot, spectrum("k", V, params)}));
  };
  auto accept = [&](const ast::Module *k, int rows, int cols, int size) {
    return accepts(*k, *k->kernels[0], target_.hardware,
                   {matrix(rows, cols, F32), vector(static_cast<std::size_t>(size), F32), i32(0)});
  };
  const ast::Module *always = lowered({run(map(Policy::Distribute, "process", each, {m, x}))});
  EXPECT_TRUE(accept(always, 3, 4, 4));
  EXPECT_FALSE(accept(always, 3, 4, 5));
  EXPECT_TRUE(accept(always, 0, 4, 5));
  const ast::Module *perhaps = lowered({when(n > 0, {run(map(Policy::Distribute, "process", each, {m, x}))})});
  EXPECT_TRUE(accept(perhaps, 3, 4, 5));
}

TEST_F(Partitions, PartsInVariables) {
  E parts = var("parts", A1(A1(I32))), i = var("i", U32), whole = var("whole", A1(I32));
  Ps params{in("in", A1(I32)), inOut("out", A1(I32)), in("n", I32)};
  auto keep = [&](const std::string &name, const Type &t, E e) {
    return make<ast::Declare>(name, t, false, false, std::vector<const ast::Expr *>{},
                              static_cast<const ast::Tunable *>(nullptr), e.e);
  };
  C c = codelet(
      "k", params,
      {keep("whole", A1(I32), kIn),
       keep("parts", A1(A1(I32)), partition(whole, 3, seq(0, 2, lit(I32, 50)), seq(1), seq(4, 2, lit(I32, 50)))),
       loop("i", cast(U32, size(parts)),
            {add(outAt(cast(U64, i)), cast(I32, size(at(parts, {i}, A1(I32))))),
             when(size(at(parts, {i}, A1(I32))) > 1, {add(outAt(4), at(at(parts, {i}, A1(I32)), {1}, I32))}),
             add(outAt(5), E(call("sum", I32, serial(), "process", {at(parts, {i}, A1(I32))})))})});
  std::vector<std::vector<Value>> calls;
  for (std::size_t s : {0u, 1u, 3u, 6u, 20u}) calls.push_back({vector(s), vector(8), i32(0)});
  checkLowering(module(call("k", V, c, "process", {}), {sumSpectrum(), spectrum("k", V, params)}), calls);
}

TEST_F(Partitions, LocalArraysAndTemporaries) {
  E t = var("t", I32), i = var("i", U32), j = var("j", U32), k = var("k", U32), l = var("l", U32), m = var("m", U32),
    tmp = var("tmp", A2(I32));
  auto t2 = [&](E a, E b) { return at(at(t, {a}, I32), {b}, I32); };
  checkLowering(
      body({local("t", I32, {3, 4}), local("tmp", A2(I32), {cast(U64, n * n), lit(U64, 4)}),
            loop("i", lit(U32, 3), {loop("j", lit(U32, 4), {set(t2(i, j), cast(I32, i * 10 + j))})}),
            loop("k", cast(U32, size(tmp, 0)), {loop("l", lit(U32, 4), {set(at(tmp, {k, l}, I32), t2(k % 3, l))})}),
            loop("m", cast(U32, size(tmp, 0)), {add(outAt(0), at(tmp, {m, 3}, I32))}),
            ret(t2(lit(U32, 2), lit(U32, 1)) + cast(I32, size(tmp)))}),
      someN());
}

// ---- the other preparers -----------------------------------------------------------------------------------

TEST_F(Passes, Functions) {
  E x = var("x", I32), c = var("c", A1(I32));
  auto f = [&](const std::string &name, E arg) { return E(make<ast::Call>(I32, name, raw({arg}))); };
  std::vector<const ast::Function *> functions{
      function("unused", I32, {in("x", I32)}, {ret(x)}),
      function("ns::twice<int>", I32, {in("x", I32)}, {ret(f("new", x) + f("new", x))}),
      function("new", I32, {in("x", I32)}, {when(x > 3, {ret(x)}), ret(-1)}),
      function("last", I32, {in("c", A1(I32))}, {when(size(c) == 0, {ret(-7)}), ret(at(c, {size(c) - 1}, I32))})};
  Ps params{in("n", I32), in("in", A1(I32))};
  C k = codelet("a", params,
                {let("int", I32, f("ns::twice<int>", n)), let("sqrt", I32, f("last", kIn)),
                 ret(var("int", I32) * 100 + var("sqrt", I32))});
  const ast::Module *program = module(call("f", I32, k, "thread", {}), {spectrum("f", I32, params)}, functions);
  checkLowering(program, {{i32(2), vector(3)}, {i32(9), vector(0)}});
  const ast::Module *lowered = lower(program);
  ASSERT_EQ(lowered->functions.size(), 3u);
  EXPECT_EQ(lowered->functions[0]->name, "new_1"); // callees first
  EXPECT_EQ(lowered->functions[1]->name, "ns_twice_int");
}

TEST_F(Passes, RecursiveFunction) {
  E x = var("x", I32);
  auto f = [&](const std::string &name) { return E(make<ast::Call>(I32, name, raw({x}))); };
  const ast::Module *program = module(
      call("f", I32, codelet("a", {in("x", I32)}, {ret(f("p"))}), "thread", {}), {spectrum("f", I32, {in("x", I32)})},
      {function("p", I32, {in("x", I32)}, {ret(f("q"))}), function("q", I32, {in("x", I32)}, {ret(f("p"))})});
  Diagnostic d = rejected(program);
  EXPECT_EQ(d.id, "function-collection.recursive");
  EXPECT_EQ(d.cls, DiagnosticClass::User);
}

TEST_F(Passes, ReservedNames) {
  Ss stmts;
  std::vector<std::string> words{"int",    "new", "__x", "_Y", "omp_get",   "sin", "sinf",    "f",
                                 "size_t", "a.b", "a_b", "3d", "tangram_x", "std", "INT_MAX", "\xc3\xa9"};
  for (const std::string &w : words)
    stmts.push_back(make<ast::Declare>(w, I32, false, false, std::vector<const ast::Expr *>{},
                                       static_cast<const ast::Tunable *>(nullptr), outAt(0).e));
  E sum = 0;
  for (const std::string &w : words) {
    stmts.push_back(add(var(w, I32), 1));
    sum = sum + var(w, I32);
  }
  stmts.push_back(ret(sum));
  const ast::Module *program = body(stmts);
  checkLowering(program, {{i32(1), vector(12)}});
  std::set<std::string> seen;
  ast::walk(lower(program)->kernels[0]->body, [&](const ast::Declare &d) {
    EXPECT_TRUE(seen.insert(d.name).second) << d.name;
    EXPECT_TRUE(std::all_of(d.name.begin(), d.name.end(), [](char c) {
      return isalnum(static_cast<unsigned char>(c)) || c == '_';
    })) << d.name;
    EXPECT_FALSE(isdigit(static_cast<unsigned char>(d.name[0]))) << d.name;
  });
}

// ---- what is refused -----------------------------------------------------------------------------------------

TEST_F(Passes, Refused) {
  auto id = [&](const ast::Module *m, DiagnosticClass cls) {
    Diagnostic d = rejected(m);
    EXPECT_EQ(d.cls, cls) << d.id;
    EXPECT_FALSE(d.advice.empty());
    return d.id;
  };
  using D = DiagnosticClass;
  EXPECT_EQ(id(module(sumAt(serial(), "nowhere"), {sumSpectrum()}), D::User), "flatten.unknown-level");
  const ast::SpectrumCall *bare =
      arena_.derive(sumAt(serial(), "thread"), [](ast::SpectrumCall &c) { c.codelet = nullptr; });
  C calls = codelet("c", sumParams(), {ret(arena_.derive(bare, [&](ast::SpectrumCall &c) { c.args = raw({kIn}); }))});
  EXPECT_EQ(id(module(sumAt(calls, "process"), {sumSpectrum()}), D::User), "flatten.unspecialised");
  C coop = codelet("c", sumParams(),
                   {ret(at(map(Policy::Serialize, "thread", call("sum", I32, serial(), "thread", {}),
                               {partition(kIn, 2, seq(0, 1, 2), seq(2), seq(9))}),
                           {0}, I32))},
                   true);
  EXPECT_EQ(id(module(sumAt(coop, "thread"), {sumSpectrum()}), D::Limitation), "flatten.cooperative-calls");
  C writer = codelet("w", {inOut("o", A1(I32))}, {set(at(var("o", A1(I32)), {0}, I32), 1)});
  C passes = codelet("c", sumParams(), {run(call("w", V, writer, "thread", {kIn})), ret(0)});
  EXPECT_EQ(id(module(sumAt(passes, "process"), {sumSpectrum(), spectrum("w", V, {inOut("o", A1(I32))})}), D::User),
            "flatten.writes-const");
  E parts = partition(kIn, 2, seq(0, 1, 2), seq(2), seq(9)), more = partition(kIn, 3, seq(0, 1, 3), seq(3), seq(9));
  Ps two{in("a", A1(I32)), in("b", A1(I32))};
  const ast::SpectrumCall *pair = call("pair", I32, codelet("p", two, {ret(0)}), "thread", {});
  C zips = codelet("c", sumParams(), {ret(at(map(Policy::Serialize, "process", pair, {parts, more}), {0}, I32))});
  EXPECT_EQ(id(module(sumAt(zips, "process"), {sumSpectrum(), spectrum("pair", I32, two)}), D::User),
            "flatten.map-lengths");
  C empty =
      codelet("c", sumParams(),
              {make<ast::Declare>(std::string("r"), A1(I32), false, false, std::vector<const ast::Expr *>{},
                                  static_cast<const ast::Tunable *>(nullptr), static_cast<const ast::Expr *>(nullptr)),
               ret(0)});
  EXPECT_EQ(id(module(sumAt(empty, "process"), {sumSpectrum()}), D::Limitation), "flatten.empty-container");
}

} // namespace
