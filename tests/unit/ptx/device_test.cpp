// What workers of a device do together, functions, and the library: the backend ptx's code, run on this machine.
#include "Harness.h"

#include <cmath>

namespace tangram::test {
namespace {

// ---- workers together --------------------------------------------------------------------------------------

E index(const char *level, const char *within) {
  return make<ast::WorkerIndex>(U32, std::string(level), std::string(within));
}
E workers(const char *level, const char *within) {
  return make<ast::WorkerCount>(U32, std::string(level), std::string(within));
}
S sync(const char *level) { return make<ast::Sync>(std::string(level)); }
E shuffled(E value, E lane) { return make<ast::Shuffle>(value.e->type, value.e, lane.e, std::string("warp")); }
S scratchpad(const std::string &name, const Type &t, int n) {
  return make<ast::Alloc>(name, t, raw({lit(U64, n)}), std::string("block"), std::string("scratchpad"));
}
E element(const std::string &name, const Type &t, E i) { return at(var(name, Type::pointer(t)), {i}, t); }

template <class T> std::vector<T> launched(const std::string &ir, unsigned groups, unsigned threads, std::size_t size) {
  std::vector<T> out(size);
  T *data = out.data();
  HostRun(ir).launch("k", groups, threads, {&data});
  return out;
}

TEST_F(Ptx, TellsWorkersApart) {
  struct Case {
    E index;
    std::function<unsigned(unsigned group, unsigned worker)> expected;
  };
  const Case cases[] = {{index("block", "grid"), [](unsigned g, unsigned) { return g; }},
                        {index("thread", "block"), [](unsigned, unsigned w) { return w; }},
                        {index("warp", "block"), [](unsigned, unsigned w) { return w / 32; }},
                        {index("thread", "warp"), [](unsigned, unsigned w) { return w % 32; }},
                        {index("warp", "grid"), [](unsigned g, unsigned w) { return 2 * g + w / 32; }},
                        {index("thread", "grid"), [](unsigned g, unsigned w) { return 64 * g + w; }},
                        {workers("block", "grid"), [](unsigned, unsigned) { return 3u; }},
                        {workers("warp", "block"), [](unsigned, unsigned) { return 2u; }},
                        {workers("thread", "warp"), [](unsigned, unsigned) { return 32u; }},
                        {workers("thread", "grid"), [](unsigned, unsigned) { return 192u; }}};
  for (const Case &c : cases) {
    E place = index("block", "grid") * lit(U32, 64) + index("thread", "block");
    const ast::Module *module =
        launching({inOut("out", Type::pointer(U32))}, {set(element("out", U32, place), c.index)});
    std::vector<unsigned> out = launched<unsigned>(ir(module, "optimised"), 3, 64, 192);
    for (unsigned i = 0; i < 192; ++i)
      ASSERT_EQ(out[i], c.expected(i / 64, i % 64)) << ast::print(c.index.e) << " " << i;
  }
}

TEST_F(Ptx, GroupsShareAScratchpadBehindABarrier) {
  for (int n : {64, 40000}) { // laid out by the assembler, given by the host
    E me = index("thread", "block");
    const ast::Module *module = launching(
        {inOut("out", Type::pointer(I32))},
        {scratchpad("tmp", I32, n), set(element("tmp", I32, me), cast(I32, me) * 3), sync("block"),
         set(element("out", I32, me), element("tmp", I32, lit(U32, 63) - me)), sync("block"),
         set(element("tmp", I32, me), element("out", I32, me) + 1), sync("block"),
         when(me == lit(U32, 0), {set(element("out", I32, lit(U32, 64)), element("tmp", I32, lit(U32, 1)))})});
    for (const char *when : {"generated", "optimised"}) {
      std::vector<int> out = launched<int>(ir(module, when), 1, 64, 65);
      for (int i = 0; i < 64; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 3 * (63 - i)) << when;
      EXPECT_EQ(out[64], 3 * 62 + 1);
    }
  }
}

TEST_F(Ptx, ShufflesValuesOfAllTypes) {
  for (const Type &t : kTypes) {
    E me = index("thread", "block"), lane = index("thread", "warp");
    E value = t.isBool() ? bin(B, BinaryOp::Eq, me % lit(U32, 3), lit(U32, 0))
                         : cast(t, me) * cast(t, lit(I32, t.bytes() == 8 ? 1 << 30 : 2));
    const ast::Module *module =
        launching({inOut("out", Type::pointer(t))},
                  {set(element("out", t, me), shuffled(value, bin(U32, BinaryOp::Xor, lane, lit(U32, 5))))});
    std::vector<char> out(64 * t.bytes());
    char *data = out.data();
    HostRun(ir(module, "optimised")).launch("k", 1, 64, {&data});
    for (unsigned i = 0; i < 64; ++i) {
      unsigned from = i ^ 5;
      double factor = t.bytes() == 8 ? 1 << 30 : 2;
      Scalar expected = t.isBool()       ? integer(t, from % 3 == 0)
                        : t.isFloating() ? real(t, from * factor)
                                         : integer(t, static_cast<std::int64_t>(from * factor));
      EXPECT_EQ(bytesOf(scalarAt(out.data() + i * t.bytes(), t)), bytesOf(expected)) << t.text() << " " << i;
    }
  }
}

TEST_F(Ptx, AtomicsOfAllTypesAndOperations) {
  for (const Type &t : kTypes) {
    if (t.isBool()) continue;
    for (AtomicOp op : {AtomicOp::Add, AtomicOp::Sub, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or,
                        AtomicOp::Xor, AtomicOp::Exchange, AtomicOp::CompareExchange}) {
      bool bits = op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
      if (bits && t.isFloating()) continue;
      E me = index("thread", "block"), value = cast(t, me);
      std::vector<const ast::Expr *> operands =
          raw(op == AtomicOp::CompareExchange ? Es{cast(t, lit(I32, 7)), value} : Es{value});
      for (bool shared : {false, true}) {
        std::string where = shared ? "tmp" : "out";
        E update = make<ast::Atomic>(t, op, element(where, t, lit(U32, 0)).e, operands);
        Ss body;
        if (shared)
          body = {scratchpad("tmp", t, 1),
                  when(me == lit(U32, 0), {set(element("tmp", t, lit(U32, 0)), cast(t, lit(I32, 7)))}), sync("block")};
        body.push_back(run(update));
        if (shared)
          body.insert(body.end(),
                      {sync("block"),
                       when(me == lit(U32, 0), {set(element("out", t, lit(U32, 0)), element("tmp", t, lit(U32, 0)))})});
        std::vector<char> out = bytesOf(t.isFloating() ? real(t, 7) : integer(t, 7));
        char *data = out.data();
        HostRun(ir(launching({inOut("out", Type::pointer(t))}, body), "optimised")).launch("k", 1, 64, {&data});
        Scalar got = scalarAt(data, t);
        std::int64_t result = t.isFloating() ? static_cast<std::int64_t>(got.d) : got.i, sum = 63 * 64 / 2;
        std::string what = t.text() + " " + std::string(name(op));
        auto wrapped = [&](std::int64_t v) { return t.isFloating() ? v : integer(t, v).i; };
        switch (op) {
        case AtomicOp::Add: EXPECT_EQ(result, wrapped(7 + sum)) << what; break;
        case AtomicOp::Sub: EXPECT_EQ(result, wrapped(7 - sum)) << what; break;
        case AtomicOp::Min: EXPECT_EQ(result, 0) << what; break;
        case AtomicOp::Max: EXPECT_EQ(result, 63) << what; break;
        case AtomicOp::And: EXPECT_EQ(result, 0) << what; break;
        case AtomicOp::Or: EXPECT_EQ(result, 63) << what; break;
        case AtomicOp::Xor: EXPECT_EQ(result, 7) << what; break;
        case AtomicOp::Exchange: EXPECT_TRUE(result >= 0 && result < 64) << what; break;
        case AtomicOp::CompareExchange: EXPECT_TRUE(result >= 0 && result < 64) << what; break;
        case AtomicOp::OrderedAdd: break; // of the language
        }
      }
    }
  }
}

TEST_F(Ptx, KeepsTheFirstAccessOutOfRange) {
  constexpr std::int64_t kFar = std::int64_t{1} << 33;
  E me = index("thread", "block"), wide = cast(U64, me), record = var("record", Type::pointer(U32));
  E asked = select(me < lit(U32, 40), wide, wide + lit(U64, kFar));
  const ast::Expr *none = nullptr;
  E check = make<ast::Check>(Type(ast::Scalar::Bool), asked.e, lit(U64, kFar).e, std::string(), none, record.e,
                             std::int64_t{3});
  E faulted = make<ast::Faulted>(Type(ast::Scalar::Bool), record.e);
  Ps params{inOut("record", Type::pointer(U32)), inOut("out", Type::pointer(U32))};
  Ss body{set(element("out", U32, me), cast(U32, check)), sync("block"),
          set(element("out", U32, me + lit(U32, 64)), cast(U32, faulted))};
  for (const char *when : {"generated", "optimised"}) {
    std::vector<unsigned> words(5), out(128);
    unsigned *data[] = {words.data(), out.data()};
    HostRun(ir(launching(params, body), when)).launch("k", 1, 64, {&data[0], &data[1]});
    for (unsigned i = 0; i < 64; ++i) {
      EXPECT_EQ(out[i], i < 40 ? 1u : 0u) << i;
      EXPECT_EQ(out[64 + i], 1u) << i;
    }
    EXPECT_EQ(words[0], 3u);
    EXPECT_TRUE(words[1] >= 40 && words[1] < 64) << words[1];
    EXPECT_EQ(words[2], 2u);
    EXPECT_EQ(words[3], 0u);
    EXPECT_EQ(words[4], 2u);
  }
}

// ---- functions, arrays, the library ----------------------------------------------------------------------

TEST_F(Ptx, FunctionsTakeValuesPlacesAndPointers) {
  // int f(int x, int &count, const int *p): returns early, and writes through its second parameter.
  const ast::Function *f = function("f", I32, {in("x", I32), inOut("count", I32), in("p", Type::pointer(I32, true))},
                                    {run(inc(var("count", I32))), when(var("x", I32) < 2, {ret(var("x", I32) + 100)}),
                                     ret(at(var("p", Type::pointer(I32, true)), {var("x", I32)}, I32))});
  auto call = [](E x, E count, E p) { return E(make<ast::Call>(I32, std::string("f"), raw({x, count, p}))); };
  const ast::InitList *list = make<ast::InitList>(V, raw({10, 11, 12}));
  S table = make<ast::Declare>(std::string("table"), I32, false, false, raw({lit(U64, 5)}),
                               static_cast<const ast::Tunable *>(nullptr), static_cast<const ast::Expr *>(list));
  Type a1 = Type::array(1, I32);
  E out = var("out", Type::pointer(I32));
  auto at5 = [&](int i) { return at(out, {i}, I32); };
  const ast::Module *module =
      launching({inOut("out", Type::pointer(I32))},
                {table, let("count", I32, 0), set(at5(0), call(1, var("count", I32), var("table", a1))),
                 set(at5(1), call(2, var("count", I32), var("table", a1))),
                 set(at5(2), call(4, var("count", I32), var("table", a1))),
                 set(at5(3), call(3, at(out, {5}, I32), out)), set(at5(4), var("count", I32))},
                64, {f});
  for (const char *when : {"generated", "optimised"}) {
    std::vector<int> out(6);
    out[3] = 77;
    int *data = out.data();
    HostRun(ir(module, when)).launch("k", 1, 1, {&data});
    EXPECT_EQ(out, (std::vector<int>{101, 12, 0, 77, 3, 1})) << when;
  }
}

TEST_F(Ptx, CallsTheMathLibrary) {
  auto call = [](const Type &t, const char *name, Es args) {
    return E(make<ast::Call>(t, std::string(name), raw(args)));
  };
  struct Case {
    E e;
    double expected;
  };
  auto d = [](double v) { return flit(F64, v); };
  auto f = [](double v) { return flit(F32, v); };
  const Case cases[] = {{call(F64, "sqrt", {d(2)}), std::sqrt(2.0)},
                        {cast(F64, call(F32, "sqrtf", {f(2)})), std::sqrt(2.0f)},
                        {cast(F64, call(F32, "rsqrtf", {f(4)})), 0.5},
                        {cast(F64, call(F32, "sinf", {f(0.5)})), std::sin(0.5f)},
                        {call(F64, "exp", {d(1.5)}), std::exp(1.5)},
                        {call(F64, "pow", {d(1.5), d(2.5)}), std::pow(1.5, 2.5)},
                        {call(F64, "fmod", {d(7.5), d(-2)}), std::fmod(7.5, -2)},
                        {call(F64, "fmin", {d(NAN), d(-2)}), -2},
                        {cast(F64, call(F32, "fmaxf", {f(3), f(-2)})), 3},
                        {call(F64, "copysign", {d(3), d(-0.0)}), -3},
                        {call(F64, "floor", {d(-1.5)}), -2},
                        {cast(F64, call(I32, "abs", {lit(I32, -5)})), 5},
                        {cast(F64, call(I64, "llabs", {lit(I64, -5)})), 5},
                        {cast(F64, call(B, "isnan", {d(NAN)})), 1},
                        {cast(F64, call(B, "isinf", {f(-INFINITY)})), 1},
                        {cast(F64, call(B, "isfinite", {d(NAN)})), 0}};
  std::vector<double> in(1);
  for (const Case &c : cases) {
    const ast::Module *module =
        launching({inOut("out", Type::pointer(F64))}, {set(element("out", F64, lit(U32, 0)), c.e)});
    EXPECT_EQ(launched<double>(ir(module, "generated"), 1, 1, 1)[0], c.expected) << ast::print(c.e.e);
  }
}

} // namespace
} // namespace tangram::test
