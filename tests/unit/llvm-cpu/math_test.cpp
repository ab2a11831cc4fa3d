// Every function of the math library, of scalars and of vectors, against the C library's of one number.
#include "Harness.h"

#include "tangram/ast/Builtins.h"
#include "tangram/runtime/float16.h"

#include <cmath>

namespace tangram::test {
namespace {

template <class T> struct Function {
  const char *name; // in the form for doubles
  T (*function)(T, T, T);
  int arguments;
  double ulps; // that a vector library may be away
};

template <class T> std::vector<Function<T>> functions() {
#define ONE(name, ulps)                                                                                                \
  Function<T> {                                                                                                        \
    #name, [](T x, T, T) -> T { return std::name(x); }, 1, ulps                                                        \
  }
#define TWO(name, ulps)                                                                                                \
  Function<T> {                                                                                                        \
    #name, [](T x, T y, T) -> T { return std::name(x, y); }, 2, ulps                                                   \
  }
  return {ONE(acos, 4),     ONE(acosh, 4),
          ONE(asin, 4),     ONE(asinh, 4),
          ONE(atan, 4),     ONE(atanh, 4),
          ONE(cbrt, 4),     ONE(ceil, 0),
          ONE(cos, 4),      ONE(cosh, 4),
          ONE(erf, 4),      ONE(erfc, 8),
          ONE(exp, 4),      ONE(exp2, 4),
          ONE(expm1, 4),    ONE(fabs, 0),
          ONE(floor, 0),    ONE(lgamma, 0),
          ONE(log, 4),      ONE(log10, 4),
          ONE(log1p, 4),    ONE(log2, 4),
          ONE(rint, 0),     ONE(round, 0),
          ONE(sin, 4),      ONE(sinh, 4),
          ONE(sqrt, 0),     ONE(tan, 4),
          ONE(tanh, 4),     ONE(tgamma, 0),
          ONE(trunc, 0),    TWO(atan2, 4),
          TWO(copysign, 0), TWO(fdim, 0),
          TWO(fmax, 0),     TWO(fmin, 0),
          TWO(fmod, 0),     TWO(hypot, 4),
          TWO(pow, 8),      Function<T>{"fma", [](T x, T y, T z) -> T { return std::fma(x, y, z); }, 3, 0}};
#undef ONE
#undef TWO
}

template <class T> bool close(T got, T expected, double ulps) {
  if (std::isnan(expected)) return std::isnan(got);
  if (got == expected) return true;
  double unit = std::abs(static_cast<double>(expected)) * (sizeof(T) == 4 ? 0x1p-23 : 0x1p-52);
  return std::abs(static_cast<double>(got) - static_cast<double>(expected)) <= ulps * unit;
}

template <class T> std::vector<T> numbers() {
  std::vector<T> values{T(0),
                        T(-0.0),
                        T(1),
                        T(-1),
                        T(0.5),
                        T(-0.5),
                        T(2.5),
                        T(-2.5),
                        T(1.5),
                        T(1e-3),
                        T(7.25),
                        T(-13.75),
                        T(20),
                        T(0.999),
                        std::numeric_limits<T>::infinity(),
                        -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::denorm_min(),
                        T(100.125),
                        T(-0.125)};
  while (values.size() < 64) values.push_back(values[values.size() - 20] * T(0.37) + T(0.01));
  return values;
}

class MathOf : public LlvmCpu {
protected:
  template <class T> void check(const Type &t) {
    constexpr unsigned kLanes = 32, kCount = 64;
    const std::vector<T> x = numbers<T>();
    std::vector<T> y(x.rbegin(), x.rend()), z(x.begin(), x.end());
    std::rotate(z.begin(), z.begin() + 7, z.end());
    const Type vector = Type::vector(t, kLanes);
    // One kernel for all: each function has a part of the output, of scalars and of vectors.
    Ss body;
    auto load = [&](const char *from, std::int64_t at, bool vectors) -> E {
      E base = var(from, Type::pointer(t));
      if (!vectors) return tangram::test::at(base, {lit(U64, at)}, t);
      return make<ast::VectorLoad>(vector, base.e, lit(U64, at).e, static_cast<const ast::Expr *>(nullptr));
    };
    std::int64_t out = 0;
    for (const Function<T> &f : functions<T>())
      for (bool vectors : {false, true})
        for (unsigned i = 0; i < kCount; i += vectors ? kLanes : 1, out += vectors ? kLanes : 1) {
          std::vector<const ast::Expr *> args;
          for (int k = 0; k < f.arguments; ++k) args.push_back(load(k == 0 ? "x" : k == 1 ? "y" : "z", i, vectors).e);
          std::string name = std::string(f.name) + (sizeof(T) == 4 ? "f" : "");
          E value = make<ast::Call>(vectors ? vector : t, name, args);
          E to = var("out", Type::pointer(t));
          if (vectors)
            body.push_back(
                make<ast::VectorStore>(to.e, lit(U64, out).e, value.e, static_cast<const ast::Expr *>(nullptr)));
          else
            body.push_back(set(tangram::test::at(to, {lit(U64, out)}, t), value));
        }
    Ps params{in("x", Type::pointer(t)), in("y", Type::pointer(t)), in("z", Type::pointer(t)),
              inOut("out", Type::pointer(t))};
    const ast::Module *module = kernel(params, body);
    std::vector<T> result(static_cast<std::size_t>(out));
    std::vector<T> a = x, b = y, c = z;
    ASSERT_EQ(call(library(module, 1), {a.data(), b.data(), c.data(), result.data()}), TANGRAM_OK);
    std::size_t next = 0;
    for (const Function<T> &f : functions<T>())
      for (bool vectors : {false, true})
        for (unsigned i = 0; i < kCount; ++i, ++next) {
          T expected = f.function(x[i], y[i], z[i]);
          EXPECT_TRUE(close(result[next], expected, vectors ? f.ulps : 0))
              << f.name << (vectors ? " of lanes: " : ": ") << x[i] << ", " << y[i] << ", " << z[i] << " gives "
              << result[next] << " instead of " << expected;
        }
  }
};

TEST_F(MathOf, DoublesIsTheCLibrarys) { check<double>(F64); }
TEST_F(MathOf, FloatsIsTheCLibrarys) { check<float>(F32); }

/// All numbers of 16 bits, and their neighbours, as tangram/runtime/float16.h converts them.
TEST_F(MathOf, HalvesRoundAsTheRuntimesDo) {
  const Type bits = ast::Scalar::U16;
  for (bool brain : {false, true})
    for (unsigned lanes : {1u, 4u, 32u}) {
      const Type half = brain ? ast::Scalar::BF16 : ast::Scalar::F16;
      const Type u = lanes == 1 ? bits : Type::vector(bits, lanes), f = lanes == 1 ? F32 : Type::vector(F32, lanes);
      const ast::Expr *none = nullptr;
      E i = var("i", U64);
      auto load = [&](const char *from, const Type &t) -> E {
        E base = var(from, Type::pointer(t.isVector() ? t.element() : t));
        if (lanes == 1) return at(base, {i}, t);
        return make<ast::VectorLoad>(t, base.e, i.e, none);
      };
      auto store = [&](const char *to, E value) -> S {
        const Type &t = value.e->type;
        E base = var(to, Type::pointer(t.isVector() ? t.element() : t));
        if (lanes == 1) return set(at(base, {i}, t), value);
        return make<ast::VectorStore>(base.e, i.e, value.e, none);
      };
      E wide = make<ast::Call>(f, std::string(ast::widening(half)), raw({load("halves", u)}));
      E narrow = make<ast::Call>(u, std::string(ast::narrowing(half)), raw({load("floats", f)}));
      constexpr int kCount = 1 << 16;
      S body = loop(let("i", U64, 0), i < lit(U64, kCount), assign(i, i + lit(U64, lanes)),
                    {store("widened", wide), store("narrowed", narrow)});
      const ast::Module *module = kernel({in("halves", Type::pointer(bits)), in("floats", Type::pointer(F32)),
                                          inOut("widened", Type::pointer(F32)), inOut("narrowed", Type::pointer(bits))},
                                         {body});
      std::vector<std::uint16_t> halves(kCount), narrowed(kCount);
      std::vector<float> floats(kCount), widened(kCount);
      for (std::size_t n = 0; n < kCount; ++n) {
        halves[n] = static_cast<std::uint16_t>(n);
        // Beside a half, halfway, and anywhere.
        std::uint32_t word = static_cast<std::uint32_t>(n * 65537 + (n % 3 ? 0x1000 : n * 2654435761u));
        std::memcpy(&floats[n], &word, 4);
      }
      ASSERT_EQ(call(library(module, 3), {halves.data(), floats.data(), widened.data(), narrowed.data()}), TANGRAM_OK);
      for (std::size_t n = 0; n < kCount; ++n) {
        float w = brain ? tangram_bf16_to_f32(halves[n]) : tangram_f16_to_f32(halves[n]);
        std::uint16_t h = brain ? tangram_f32_to_bf16(floats[n]) : tangram_f32_to_f16(floats[n]);
        ASSERT_TRUE(widened[n] == w || (w != w && widened[n] != widened[n])) << n << " " << lanes << " " << brain;
        bool nan = floats[n] != floats[n];
        ASSERT_TRUE(narrowed[n] == h || (nan && (narrowed[n] & 0x7fff) > (brain ? 0x7f80 : 0x7c00)))
            << floats[n] << " " << lanes << " " << brain << ": " << narrowed[n] << " instead of " << h;
      }
    }
}

} // namespace
} // namespace tangram::test
