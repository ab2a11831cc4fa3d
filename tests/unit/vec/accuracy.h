// Functions of the math library, of vectors, against the same functions of the next wider type: within 4 units in the
// last place, and just these where a result is zero, infinite or no number.
#pragma once

#include "checks.h"

#include <cstdint>
#include <cstring>

namespace vec_checks {

/// How far apart in units in the last place of `want`, of which those below the normal numbers are all alike.
template <class T, class Wide> double ulpsApart(T got, Wide want) {
  T rounded = T(want);
  if (rounded != rounded || got != got) return (rounded != rounded) == (got != got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : HUGE_VAL;
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(want, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return double(std::fabs(Wide(got) - want) / std::ldexp(Wide(1), exponent - std::numeric_limits<T>::digits));
}

template <class T> std::vector<T> arguments(int n, unsigned seed) {
  using L = std::numeric_limits<T>;
  using Bits = tangram::vec_detail::uint_of<sizeof(T)>;
  std::vector<T> v;
  for (T x : {T(0),
              T(0.5),
              T(1),
              T(2),
              T(3),
              T(10),
              T(100),
              T(1e6),
              T(1e15),
              L::min(),
              L::max(),
              L::denorm_min(),
              L::min() / 64,
              L::epsilon(),
              L::infinity(),
              L::quiet_NaN(),
              T(L::max_exponent),
              T(L::max_exponent * 0.7),
              T(0.7853981633974483),
              T(1.5707963267948966),
              T(3.141592653589793)}) {
    v.push_back(x);
    v.push_back(-x);
  }
  std::mt19937_64 random(seed);
  while (int(v.size()) < n) {
    auto bits = Bits(random());
    T any, near;
    std::memcpy(&any, &bits, sizeof(T));
    near = std::ldexp(T(2 * (double(random() >> 11) / 9007199254740992.0) - 1), int(random() % 40) - 32);
    v.push_back(random() % 4 ? near * 100 : any);
  }
  v.resize(std::size_t(n));
  return v;
}

/// f and g of these arguments: of vectors, and of one number of a wider type.
template <class T, int N, class Wide, class F, class G>
void accurate(const char *what, const std::vector<T> &a, const std::vector<T> &b, F f, G g) {
  for (std::size_t at = 0; at + N <= a.size(); at += N) {
    tangram::vec<T, N> got = f(tangram::load<N>(a.data() + at), tangram::load<N>(b.data() + at));
    for (int i = 0; i < N; ++i) expect(ulpsApart(got[i], g(Wide(a[at + i]), Wide(b[at + i]))) <= 4, what, N, i);
  }
}

template <class T, class Wide, int N> void library() {
  constexpr int count = 4096;
  std::vector<T> a = arguments<T>(count, 11), b = arguments<T>(count, 12);
  // Special numbers meet each other, too.
  std::vector<T> x, y;
  for (int i = 0; i < 42; ++i)
    for (int j = 0; j < 42; ++j) x.push_back(a[i]), y.push_back(a[j]);
  x.insert(x.end(), a.begin(), a.end());
  y.insert(y.end(), b.begin(), b.end());
#define TANGRAM_ACCURATE(name)                                                                                         \
  accurate<T, N, Wide>(                                                                                                \
      #name, a, b,                                                                                                     \
      [](auto v, auto) {                                                                                               \
        if constexpr (sizeof(T) == 4)                                                                                  \
          return tangram::name##f(v);                                                                                  \
        else                                                                                                           \
          return tangram::name(v);                                                                                     \
      },                                                                                                               \
      [](Wide v, Wide) { return std::name(v); });
#define TANGRAM_ACCURATE2(name)                                                                                        \
  accurate<T, N, Wide>(                                                                                                \
      #name, x, y,                                                                                                     \
      [](auto v, auto w) {                                                                                             \
        if constexpr (sizeof(T) == 4)                                                                                  \
          return tangram::name##f(v, w);                                                                               \
        else                                                                                                           \
          return tangram::name(v, w);                                                                                  \
      },                                                                                                               \
      [](Wide v, Wide w) { return std::name(v, w); });
  TANGRAM_ACCURATE(acos)
  TANGRAM_ACCURATE(acosh)
  TANGRAM_ACCURATE(asin)
  TANGRAM_ACCURATE(asinh)
  TANGRAM_ACCURATE(atan)
  TANGRAM_ACCURATE(atanh)
  TANGRAM_ACCURATE(cbrt)
  TANGRAM_ACCURATE(ceil)
  TANGRAM_ACCURATE(cos)
  TANGRAM_ACCURATE(cosh)
  TANGRAM_ACCURATE(erf)
  TANGRAM_ACCURATE(erfc)
  TANGRAM_ACCURATE(exp)
  TANGRAM_ACCURATE(exp2)
  TANGRAM_ACCURATE(expm1)
  TANGRAM_ACCURATE(floor)
  TANGRAM_ACCURATE(log)
  TANGRAM_ACCURATE(log10)
  TANGRAM_ACCURATE(log1p)
  TANGRAM_ACCURATE(log2)
  TANGRAM_ACCURATE(rint)
  TANGRAM_ACCURATE(round)
  TANGRAM_ACCURATE(sin)
  TANGRAM_ACCURATE(sinh)
  TANGRAM_ACCURATE(sqrt)
  TANGRAM_ACCURATE(tan)
  TANGRAM_ACCURATE(tanh)
  TANGRAM_ACCURATE(trunc)
  TANGRAM_ACCURATE2(atan2)
  TANGRAM_ACCURATE2(copysign)
  TANGRAM_ACCURATE2(fdim)
  TANGRAM_ACCURATE2(fmod)
  TANGRAM_ACCURATE2(hypot)
  TANGRAM_ACCURATE2(pow)
#undef TANGRAM_ACCURATE
#undef TANGRAM_ACCURATE2
}

/// Rounding has one right answer, which the bound above would not tell from a neighbour.
template <class T, int N> void rounding() {
  std::vector<T> a = arguments<T>(512, 13), b = arguments<T>(512, 14), c = arguments<T>(512, 15);
  auto each = [&](const char *what, auto f, auto g) {
    for (std::size_t at = 0; at < a.size(); at += N) {
      auto got = f(tangram::load<N>(&a[at]), tangram::load<N>(&b[at]), tangram::load<N>(&c[at]));
      for (int i = 0; i < N; ++i) expect(same(got[i], T(g(a[at + i], b[at + i], c[at + i]))), what, N, i);
    }
  };
#define TANGRAM_ROUNDED(name, ...)                                                                                     \
  each(                                                                                                                \
      #name,                                                                                                           \
      [](auto x, [[maybe_unused]] auto y, [[maybe_unused]] auto z) {                                                   \
        if constexpr (sizeof(T) == 4)                                                                                  \
          return tangram::name##f(__VA_ARGS__);                                                                        \
        else                                                                                                           \
          return tangram::name(__VA_ARGS__);                                                                           \
      },                                                                                                               \
      [](T x, [[maybe_unused]] T y, [[maybe_unused]] T z) { return std::name(__VA_ARGS__); });
  TANGRAM_ROUNDED(ceil, x)
  TANGRAM_ROUNDED(floor, x)
  TANGRAM_ROUNDED(rint, x)
  TANGRAM_ROUNDED(trunc, x)
  TANGRAM_ROUNDED(sqrt, x)
  TANGRAM_ROUNDED(fma, x, y, z)
#undef TANGRAM_ROUNDED
}

inline int runAccuracy() {
  where = "the math library of float";
  library<float, double, 2>();
  library<float, double, 8>();
  library<float, double, 32>();
  rounding<float, 2>();
  rounding<float, 32>();
  where = "the math library of double";
  library<double, long double, 2>();
  library<double, long double, 16>();
  rounding<double, 1>();
  rounding<double, 16>();
  return failures;
}

} // namespace vec_checks
