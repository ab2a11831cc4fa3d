// Every node of vector code, of all types and several numbers of lanes, against the same lane by lane in C++.
#include "Harness.h"

#include "tangram/runtime/report.h"

namespace tangram::test {
namespace {

const ast::Expr *const kNone = nullptr;

template <class T> Type typeOf();
template <> Type typeOf<bool>() { return ast::Scalar::Bool; }
template <> Type typeOf<std::int8_t>() { return ast::Scalar::I8; }
template <> Type typeOf<std::uint16_t>() { return ast::Scalar::U16; }
template <> Type typeOf<std::int32_t>() { return ast::Scalar::I32; }
template <> Type typeOf<std::uint32_t>() { return ast::Scalar::U32; }
template <> Type typeOf<std::int64_t>() { return ast::Scalar::I64; }
template <> Type typeOf<std::uint64_t>() { return ast::Scalar::U64; }
template <> Type typeOf<float>() { return ast::Scalar::F32; }
template <> Type typeOf<double>() { return ast::Scalar::F64; }

/// Not std::vector, of which that of bool is none.
template <class T> using Numbers = std::unique_ptr<T[]>;

template <class T> class Vectors : public LlvmCpu {
protected:
  static constexpr unsigned kCount = 128;
  using Lane = std::function<T(unsigned)>;

  Vectors() {
    for (unsigned i = 0; i < kCount; ++i) {
      x[i] = static_cast<T>((i * 37 + 11) % 23);
      y[i] = static_cast<T>((i * 29 + 5) % 19);
      chosen[i] = i % 3 == 1 || i % 7 == 2;
    }
  }
  Type t() const { return typeOf<T>(); }
  Type v() const { return Type::vector(t(), lanes); }
  Type m() const { return Type::vector(B, lanes); }
  E pointer(const char *name, const Type &of) const { return var(name, Type::pointer(of)); }
  E load(const char *name, const Type &of, std::int64_t first = 0, E mask = kNone) const {
    return make<ast::VectorLoad>(Type::vector(of, lanes), pointer(name, of).e, lit(U64, first).e, mask.e);
  }
  E vx() const { return load("x", t()); }
  E vy() const { return load("y", t()); }
  E mask() const { return load("chosen", B); }
  S store(E value, E masked = kNone) const {
    return make<ast::VectorStore>(pointer("out", value.e->type.element()).e, lit(U64, 0).e, value.e, masked.e);
  }
  E same(E value) const { return make<ast::Broadcast>(Type::vector(value.e->type, lanes), value.e); }

  /// Runs `body`, which writes `out`, at both ends of optimisation.
  template <class R = T>
  void expect(const char *what, const Ss &body, const std::type_identity_t<std::function<R(unsigned)>> &expected,
              unsigned count = 0) {
    Ps params{in("x", Type::pointer(t())), in("y", Type::pointer(t())), in("chosen", Type::pointer(B)),
              inOut("out", Type::pointer(typeOf<R>()))};
    const ast::Module *module = kernel(params, body);
    for (unsigned level : {0u, 3u}) {
      Numbers<R> out(new R[kCount]());
      ASSERT_EQ(call(library(module, level), {x.get(), y.get(), chosen.get(), out.get()}), TANGRAM_OK);
      for (unsigned i = 0; i < (count ? count : lanes); ++i)
        ASSERT_EQ(out[i], expected(i)) << what << ", lane " << i << " of " << lanes << ", level " << level;
      for (unsigned i = count ? count : lanes; i < kCount; ++i) ASSERT_EQ(out[i], R()) << what << " writes too much";
    }
  }
  template <class R> void scalar(const char *what, E value, R expected) {
    E out = pointer("out", typeOf<R>());
    expect<R>(what, {set(at(out, {lit(U64, 0)}, typeOf<R>()), value)}, [&](unsigned) { return expected; }, 1);
  }

  unsigned lanes = 8;
  Numbers<T> x{new T[kCount]}, y{new T[kCount]};
  Numbers<bool> chosen{new bool[kCount]};
};

using Types = ::testing::Types<bool, std::int8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                               std::uint64_t, float, double>;
TYPED_TEST_SUITE(Vectors, Types);

TYPED_TEST(Vectors, AreLoadedAndStored) {
  using T = TypeParam;
  for (unsigned lanes : {2u, 8u, 64u}) {
    this->lanes = lanes;
    this->expect("load", {this->store(this->load("x", this->t(), 3))}, [&](unsigned i) { return this->x[i + 3]; });
    this->expect("masked load", {this->store(this->load("x", this->t(), 0, this->mask()))},
                 [&](unsigned i) { return this->chosen[i] ? this->x[i] : T(); });
    this->expect("masked store", {this->store(this->vx(), this->mask())},
                 [&](unsigned i) { return this->chosen[i] ? this->x[i] : T(); });
    E index = make<ast::LaneIndex>(Type::vector(U32, lanes));
    E backwards = this->same(lit(U32, lanes - 1)) - index;
    for (bool masked : {false, true}) {
      E mask = masked ? this->mask() : E(kNone);
      E gathered = make<ast::VectorLoad>(this->v(), this->pointer("x", this->t()).e, backwards.e, mask.e);
      this->expect("gather", {this->store(gathered)},
                   [&](unsigned i) { return !masked || this->chosen[i] ? this->x[lanes - 1 - i] : T(); });
      S scattered = make<ast::VectorStore>(this->pointer("out", this->t()).e, backwards.e, this->vx().e, mask.e);
      this->expect("scatter", {scattered},
                   [&](unsigned i) { return !masked || this->chosen[lanes - 1 - i] ? this->x[lanes - 1 - i] : T(); });
      // Where two lanes write one element the higher one's stays.
      E first = bin(index.e->type, BinaryOp::And, index, this->same(lit(U32, 1)));
      S twice = make<ast::VectorStore>(this->pointer("out", this->t()).e, first.e, this->vx().e, kNone);
      this->expect("scatter to one place", {twice}, [&](unsigned i) { return this->x[lanes - 2 + i]; }, 2);
    }
  }
}

TYPED_TEST(Vectors, AreChosenMovedAndReduced) {
  using T = TypeParam;
  for (unsigned lanes : {2u, 8u, 64u}) {
    this->lanes = lanes;
    E chosen = make<ast::VectorSelect>(this->v(), this->mask().e, this->vx().e, this->vy().e);
    this->expect("select", {this->store(chosen)},
                 [&](unsigned i) { return this->chosen[i] ? this->x[i] : this->y[i]; });
    E one = make<ast::VectorLane>(this->t(), this->vx().e, lit(U32, lanes - 1).e);
    this->scalar("lane", one, this->x[lanes - 1]);
    this->expect("broadcast", {this->store(this->same(one))}, [&](unsigned) { return this->x[lanes - 1]; });
    E from = make<ast::LaneIndex>(Type::vector(U32, lanes)) * this->same(lit(U32, 3));
    E moved = make<ast::Shuffle>(this->v(), this->vx().e, from.e, std::string());
    this->expect("shuffle", {this->store(moved)}, [&](unsigned i) { return this->x[3 * i % lanes]; });
    if constexpr (!std::is_same_v<T, bool>) {
      E numbers = make<ast::LaneIndex>(this->v());
      this->expect("lane index", {this->store(numbers)}, [](unsigned i) { return static_cast<T>(i); });
      T sum{}, least = this->x[0], most = this->x[0];
      for (unsigned i = 0; i < lanes; ++i) {
        sum = static_cast<T>(sum + this->x[i]);
        least = std::min(least, this->x[i]);
        most = std::max(most, this->x[i]);
      }
      this->scalar("sum", make<ast::VectorReduce>(this->t(), ReduceOp::Add, this->vx().e), sum);
      this->scalar("least", make<ast::VectorReduce>(this->t(), ReduceOp::Min, this->vx().e), least);
      this->scalar("most", make<ast::VectorReduce>(this->t(), ReduceOp::Max, this->vx().e), most);
    }
  }
}

TYPED_TEST(Vectors, AreComputedWithLaneByLane) {
  using T = TypeParam;
  auto lanewise = [&](const char *what, BinaryOp op, auto f) {
    this->expect(what, {this->store(bin(this->v(), op, this->vx(), this->vy()))},
                 [&](unsigned i) { return static_cast<T>(f(this->x[i], this->y[i])); });
  };
  auto compared = [&](const char *what, BinaryOp op, auto f) {
    this->template expect<bool>(what, {this->store(bin(this->m(), op, this->vx(), this->vy()))},
                                [&](unsigned i) { return f(this->x[i], this->y[i]); });
  };
  for (unsigned lanes : {4u, 32u}) {
    this->lanes = lanes;
    compared("==", BinaryOp::Eq, [](T a, T b) { return a == b; });
    compared("!=", BinaryOp::Ne, [](T a, T b) { return a != b; });
    compared("<", BinaryOp::Lt, [](T a, T b) { return a < b; });
    compared("<=", BinaryOp::Le, [](T a, T b) { return a <= b; });
    compared(">", BinaryOp::Gt, [](T a, T b) { return a > b; });
    compared(">=", BinaryOp::Ge, [](T a, T b) { return a >= b; });
    E truth = make<ast::Cast>(this->m(), this->vx().e);
    this->template expect<bool>("to bool", {this->store(truth)}, [&](unsigned i) { return this->x[i] != T(); });
    E number = make<ast::Cast>(Type::vector(I32, lanes), this->vx().e);
    this->template expect<std::int32_t>("to int", {this->store(number)},
                                        [&](unsigned i) { return static_cast<std::int32_t>(this->x[i]); });
    E real = make<ast::Cast>(Type::vector(F64, lanes), this->vx().e);
    this->template expect<double>("to double", {this->store(real)},
                                  [&](unsigned i) { return static_cast<double>(this->x[i]); });
    if constexpr (std::is_integral_v<T>) {
      lanewise("&", BinaryOp::And, [](T a, T b) { return a & b; });
      lanewise("|", BinaryOp::Or, [](T a, T b) { return a | b; });
      lanewise("^", BinaryOp::Xor, [](T a, T b) { return a ^ b; });
    }
    if constexpr (std::is_same_v<T, bool>) {
      E inverted = make<ast::Unary>(this->m(), ast::UnaryOp::Not, this->vx().e);
      this->expect("!", {this->store(inverted)}, [&](unsigned i) { return !this->x[i]; });
    } else {
      lanewise("+", BinaryOp::Add, [](T a, T b) { return a + b; });
      lanewise("-", BinaryOp::Sub, [](T a, T b) { return a - b; });
      lanewise("*", BinaryOp::Mul, [](T a, T b) { return a * b; });
      E one = this->same(make<ast::Cast>(this->t(), lit(I32, 1).e));
      this->expect("/", {this->store(this->vx() / (this->vy() + one))},
                   [&](unsigned i) { return static_cast<T>(this->x[i] / static_cast<T>(this->y[i] + 1)); });
      E minus = make<ast::Unary>(this->v(), ast::UnaryOp::Minus, this->vx().e);
      this->expect("-", {this->store(minus)}, [&](unsigned i) { return static_cast<T>(-this->x[i]); });
      // A variable, and what is added to it.
      E sum = var("sum", this->v());
      this->expect("+=", {let("sum", this->v(), this->vx()), add(sum, this->vy()), this->store(sum)},
                   [&](unsigned i) { return static_cast<T>(this->x[i] + this->y[i]); });
      if constexpr (std::is_integral_v<T>) {
        this->expect("%", {this->store(this->vx() % (this->vy() + one))},
                     [&](unsigned i) { return static_cast<T>(this->x[i] % static_cast<T>(this->y[i] + 1)); });
        E by = this->same(make<ast::Cast>(this->t(), lit(I32, 2).e));
        this->expect("<<", {this->store(bin(this->v(), BinaryOp::Shl, this->vx(), by))},
                     [&](unsigned i) { return static_cast<T>(this->x[i] << 2); });
        this->expect(">>", {this->store(bin(this->v(), BinaryOp::Shr, this->vx(), by))},
                     [&](unsigned i) { return static_cast<T>(this->x[i] >> 2); });
        E inverted = make<ast::Unary>(this->v(), ast::UnaryOp::BitNot, this->vx().e);
        this->expect("~", {this->store(inverted)}, [&](unsigned i) { return static_cast<T>(~this->x[i]); });
      }
    }
  }
}

using Masks = Vectors<bool>;

TEST_F(Masks, SayWhatTheirLanesDo) {
  for (unsigned n : {2u, 8u, 64u, 128u}) {
    lanes = n;
    for (unsigned set : {n, 0u, n - 1}) { // none, the first, the last
      for (unsigned i = 0; i < kCount; ++i) x[i] = i == set;
      bool any = set < n;
      scalar("any", make<ast::VectorReduce>(B, ReduceOp::Any, vx().e), any);
      scalar("all", make<ast::VectorReduce>(B, ReduceOp::All, vx().e), false);
      if (any) scalar("first", make<ast::VectorReduce>(U32, ReduceOp::First, vx().e), std::uint32_t{set});
    }
    for (unsigned i = 0; i < kCount; ++i) x[i] = true;
    scalar("all", make<ast::VectorReduce>(B, ReduceOp::All, vx().e), true);
  }
}

TEST_F(Masks, LanesAreCheckedTogether) {
  lanes = 8;
  auto checked = [&](E mask) -> E {
    E index = make<ast::LaneIndex>(Type::vector(U64, 8));
    return make<ast::Check>(m(), index.e, same(lit(U64, 5)).e, std::string("what"), mask.e,
                            var("record", Type::pointer(U32)).e, std::int64_t{2});
  };
  for (bool masked : {false, true}) {
    for (unsigned i = 0; i < kCount; ++i) x[i] = i < 5 || i == 6;
    Ss body{make<ast::VectorStore>(pointer("out", B).e, lit(U64, 0).e, checked(masked ? vx() : E(kNone)).e, kNone)};
    E faulted = make<ast::Faulted>(B, var("record", Type::pointer(U32)).e);
    body.push_back(set(at(pointer("out", B), {lit(U64, 8)}, B), faulted));
    body.push_back(make<ast::Report>(var("record", Type::pointer(U32)).e,
                                     std::vector<std::string>{"one", "100 %: {index} of {bound}, to {last}"}));
    const ast::Module *module =
        kernel({in("x", Type::pointer(B)), inOut("out", Type::pointer(B)), inOut("record", Type::pointer(U32))}, body);
    for (unsigned level : {0u, 3u}) {
      bool out[9] = {};
      std::uint32_t record[tangram_checked::kWords] = {};
      EXPECT_EQ(call(library(module, level), {x.get(), out, record}), TANGRAM_OUT_OF_RANGE);
      EXPECT_EQ(said, masked ? "100 %: 6 of 5, to 4" : "100 %: 5 of 5, to 4");
      for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(out[i], i < 5);
      EXPECT_TRUE(out[8]);
    }
  }
}

} // namespace
} // namespace tangram::test
