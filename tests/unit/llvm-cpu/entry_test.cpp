// How kernels are called, what they say of bad arguments, threads, temporaries and atomics.
#include "Harness.h"

#include "tangram/runtime/report.h"

#include <numeric>
#include <thread>

namespace tangram::test {
namespace {

using Entry = LlvmCpu;

Type pointerTo(const Type &t) { return Type::pointer(t); }
E element(const char *name, const Type &t, E i) { return at(var(name, pointerTo(t)), {i}, t); }

S parallel(E count, Ss body, std::int64_t threads = 0) {
  ast::Counts units;
  if (threads) units["thread"] = threads;
  return make<ast::Loop>(std::string("i"), U64, lit(U64, 0).e, cast(U64, count).e, Policy::Distribute,
                         std::string("process"), units, block(body));
}
S temporary(const std::string &name, const Type &t, E count) {
  return make<ast::Alloc>(name, t, raw({count}), std::string("process"), std::string());
}

TEST_F(Entry, SaysWhatIsWrongWithArguments) {
  E n = var("n", I32);
  const ast::Module *module =
      kernel({in("n", I32), inOut("out", pointerTo(I32))}, {set(element("out", I32, 0), n)}, {}, {(n > lit(I32, 3)).e});
  runtime::KernelLibrary made = library(module, 1);
  std::int32_t four = 4, two = 2, out = 0;
  EXPECT_EQ(call(made, {&four, &out}), TANGRAM_OK);
  EXPECT_EQ(said, "");
  EXPECT_EQ(out, 4);
  EXPECT_EQ(call(made, {&two, &out}), TANGRAM_BAD_ARGUMENT);
  EXPECT_EQ(said, "k: n > 3 does not hold");
  EXPECT_EQ(call(made, {&four, nullptr}), TANGRAM_BAD_ARGUMENT);
  EXPECT_EQ(said, "k: 'out' is null");
  // The typed entry, and each thread's own text.
  auto *typed = reinterpret_cast<int (*)(std::int32_t, std::int32_t *)>(made.symbol("k"));
  auto *error = reinterpret_cast<const char *(*)()>(made.symbol("k_error"));
  ASSERT_TRUE(typed && error);
  EXPECT_EQ(typed(1, &out), TANGRAM_BAD_ARGUMENT);
  EXPECT_STREQ(error(), "k: n > 3 does not hold");
  std::thread([&] { EXPECT_STREQ(error(), ""); }).join();
  EXPECT_EQ(typed(7, &out), TANGRAM_OK);
  EXPECT_STREQ(error(), "");
  EXPECT_EQ(out, 7);
}

TEST_F(Entry, ThreadsShareTheIterations) {
  E i = var("i", U64), n = var("n", U64), twice = var("twice", I64);
  const ast::Module *module = kernel(
      {in("n", U64), inOut("out", pointerTo(I64))},
      {let("twice", I64, 2), parallel(n, {set(element("out", I64, i), cast(I64, i) * twice), set(twice, lit(I64, 2))}),
       set(element("out", I64, n), twice)});
  for (unsigned level : {0u, 3u})
    for (std::uint64_t count : {0u, 1u, 2u, 3u, 7u, 1000u}) {
      std::vector<std::int64_t> out(count + 1, -1);
      ASSERT_EQ(call(library(module, level), {&count, out.data()}), TANGRAM_OK);
      for (std::uint64_t k = 0; k < count; ++k) ASSERT_EQ(out[k], static_cast<std::int64_t>(2 * k));
      EXPECT_EQ(out[count], 2);
    }
}

template <class T> T reduced(ast::AtomicOp op, T start, const std::vector<T> &values) {
  T r = start;
  for (T v : values) switch (op) {
    case AtomicOp::Add: r = static_cast<T>(r + v); break;
    case AtomicOp::Sub: r = static_cast<T>(r - v); break;
    case AtomicOp::Min: r = std::min(r, v); break;
    case AtomicOp::Max: r = std::max(r, v); break;
    case AtomicOp::And:
      if constexpr (std::is_integral_v<T>) r = static_cast<T>(r & v);
      break;
    case AtomicOp::Or:
      if constexpr (std::is_integral_v<T>) r = static_cast<T>(r | v);
      break;
    case AtomicOp::Xor:
      if constexpr (std::is_integral_v<T>) r = static_cast<T>(r ^ v);
      break;
    case AtomicOp::Exchange:
    case AtomicOp::CompareExchange:
    case AtomicOp::OrderedAdd: break;
    }
  return r;
}

class Atomics : public LlvmCpu {
protected:
  template <class T> void check(const Type &t) {
    std::vector<T> values(1000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<T>((k * 37 + 11) % 128);
    for (AtomicOp op :
         {AtomicOp::Add, AtomicOp::Sub, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor}) {
      const bool bits = op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
      if (bits && !std::is_integral_v<T>) continue;
      E i = var("i", U64);
      E atomic = make<ast::Atomic>(t, op, element("out", t, 0).e, raw({element("in", t, i)}));
      const ast::Module *module = kernel({in("in", pointerTo(t)), inOut("out", pointerTo(t))},
                                         {parallel(lit(U64, 1000), {program::run(atomic)}, 4)});
      T out = static_cast<T>(77);
      ASSERT_EQ(call(library(module, 3), {values.data(), &out}), TANGRAM_OK);
      EXPECT_EQ(out, reduced(op, static_cast<T>(77), values)) << ast::name(op) << " of " << t.text();
    }
    // The value before.
    E exchanged = make<ast::Atomic>(t, AtomicOp::Exchange, element("out", t, 0).e, raw({element("in", t, 5)}));
    E compared = make<ast::Atomic>(t, AtomicOp::CompareExchange, element("out", t, 1).e,
                                   raw({element("in", t, 6), element("in", t, 7)}));
    E again = make<ast::Atomic>(t, AtomicOp::CompareExchange, element("out", t, 1).e,
                                raw({element("in", t, 6), element("in", t, 8)}));
    const ast::Module *module =
        kernel({in("in", pointerTo(t)), inOut("out", pointerTo(t))},
               {set(element("out", t, 1), element("in", t, 6)), set(element("out", t, 2), exchanged),
                set(element("out", t, 3), compared), set(element("out", t, 4), again)});
    std::vector<T> out{static_cast<T>(9), T(), T(), T(), T()};
    ASSERT_EQ(call(library(module, 3), {values.data(), out.data()}), TANGRAM_OK);
    EXPECT_EQ(out, (std::vector<T>{values[5], values[7], static_cast<T>(9), values[6], values[7]})) << t.text();
  }
};

TEST_F(Atomics, OfAllTypesAddUp) {
  check<std::int8_t>(ast::Scalar::I8);
  check<std::uint16_t>(ast::Scalar::U16);
  check<std::int32_t>(I32);
  check<std::uint64_t>(U64);
  check<float>(F32);
  check<double>(F64);
}

TEST_F(Entry, TemporariesComeFromTheStackOrTheHeap) {
  E i = var("i", U64), n = var("n", U64);
  for (bool large : {false, true}) {
    E count = large ? n : lit(U64, 16);
    auto use = [&](const char *name, E at, int value) { return set(element(name, I32, at), lit(I32, value)); };
    const ast::Module *module =
        kernel({in("n", U64), inOut("out", pointerTo(I32))},
               {temporary("whole", I32, count), use("whole", lit(U64, 3), 5),
                parallel(lit(U64, 8), {temporary("own", I32, count), use("own", lit(U64, 2), 7),
                                       when(i == lit(U64, 5), {make<ast::Continue>()}),
                                       set(element("out", I32, i),
                                           element("whole", I32, lit(U64, 3)) + element("own", I32, lit(U64, 2)))})});
    std::vector<std::int32_t> out(8);
    std::uint64_t some = 16, all = ~std::uint64_t{0} / 5;
    runtime::KernelLibrary made = library(module, 3);
    ASSERT_EQ(call(made, {&some, out.data()}), TANGRAM_OK);
    EXPECT_EQ(out, (std::vector<std::int32_t>{12, 12, 12, 12, 12, 0, 12, 12}));
    if (!large) continue;
    EXPECT_EQ(call(made, {&all, out.data()}), TANGRAM_OUT_OF_MEMORY);
    EXPECT_EQ(said, "k: no memory for temporaries");
  }
}

TEST_F(Entry, NoMemoryInAThreadIsSaid) {
  E n = var("n", U64);
  const ast::Module *module =
      kernel({in("n", U64), inOut("out", pointerTo(I32))},
             {parallel(lit(U64, 8), {temporary("own", I32, n), set(element("own", I32, 0), lit(I32, 7)),
                                     set(element("out", I32, 0), element("own", I32, 0))})});
  std::int32_t out = 0;
  std::uint64_t some = 16, all = ~std::uint64_t{0} / 5, most = std::uint64_t{1} << 61;
  runtime::KernelLibrary made = library(module, 3);
  ASSERT_EQ(call(made, {&some, &out}), TANGRAM_OK);
  for (std::uint64_t count : {all, most}) EXPECT_EQ(call(made, {&count, &out}), TANGRAM_OUT_OF_MEMORY);
}

TEST_F(Entry, WhatItCannotDoIsSaid) {
  auto rejected = [&](Ss statements) -> Diagnostic {
    try {
      library(kernel({in("n", U64)}, statements), 0);
    } catch (const DiagnosticError &error) {
      return error.diagnostic;
    }
    ADD_FAILURE() << "it was compiled";
    return {};
  };
  Diagnostic large = rejected(
      {local("much", F64, {lit(U64, 1 << 18)}), set(at(var("much", A1(F64)), {var("n", U64)}, F64), flit(F64, 1))});
  EXPECT_EQ(large.cls, DiagnosticClass::Limitation);
  EXPECT_EQ(large.message, "the local array 'much' has 2097152 bytes, and a thread's stack has room for 1048576");
  Diagnostic unknown =
      rejected({program::run(make<ast::WorkerIndex>(U32, std::string("thread"), std::string("process")))});
  EXPECT_EQ(unknown.cls, DiagnosticClass::User);
  EXPECT_THAT(unknown.message, ::testing::HasSubstr("WorkerIndex"));
}

} // namespace
} // namespace tangram::test
