// The C math library lane by lane, under its C names.
#ifndef TANGRAM_RUNTIME_VEC_MATH_H
#define TANGRAM_RUNTIME_VEC_MATH_H

#include "tangram/runtime/vec/vector.h"

#include <cmath>
#include <cstdlib>

namespace tangram {
namespace vec_detail {
template <class R, class F, int N, class... V> TANGRAM_INLINE vec<R, N> lanewise(F f, const V &...v) {
  if constexpr (N > 16) {
    return vec<R, N>::join(lanewise<R, F, N / 2>(f, v.low()...), lanewise<R, F, N / 2>(f, v.high()...));
  } else if constexpr (std::is_same_v<R, bool>) {
    std::uint64_t bits = 0;
    for (int i = 0; i < N; ++i) bits |= std::uint64_t(bool(f(v[i]...))) << i;
    return vec<bool, N>::from_bits(bits);
  } else {
    vec<R, N> r;
    for (int i = 0; i < N; ++i) r.set(i, f(v[i]...));
    return r;
  }
}
} // namespace vec_detail

#define TANGRAM_VEC_FUNCTION1(T, name)                                                                                 \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a) {                                                 \
    auto f = [](T x) { return T(::name(x)); };                                                                         \
    return vec_detail::lanewise<T, decltype(f), N>(f, a);                                                              \
  }
#define TANGRAM_VEC_FUNCTION2(T, name)                                                                                 \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b) {                             \
    auto f = [](T x, T y) { return T(::name(x, y)); };                                                                 \
    return vec_detail::lanewise<T, decltype(f), N>(f, a, b);                                                           \
  }
#define TANGRAM_VEC_REAL1(name) TANGRAM_VEC_FUNCTION1(double, name) TANGRAM_VEC_FUNCTION1(float, name##f)
#define TANGRAM_VEC_REAL2(name) TANGRAM_VEC_FUNCTION2(double, name) TANGRAM_VEC_FUNCTION2(float, name##f)

TANGRAM_VEC_REAL1(acos)
TANGRAM_VEC_REAL1(acosh)
TANGRAM_VEC_REAL1(asin)
TANGRAM_VEC_REAL1(asinh)
TANGRAM_VEC_REAL1(atan)
TANGRAM_VEC_REAL1(atanh)
TANGRAM_VEC_REAL1(cbrt)
TANGRAM_VEC_REAL1(ceil)
TANGRAM_VEC_REAL1(cos)
TANGRAM_VEC_REAL1(cosh)
TANGRAM_VEC_REAL1(erf)
TANGRAM_VEC_REAL1(erfc)
TANGRAM_VEC_REAL1(exp)
TANGRAM_VEC_REAL1(exp2)
TANGRAM_VEC_REAL1(expm1)
TANGRAM_VEC_REAL1(floor)
TANGRAM_VEC_REAL1(lgamma)
TANGRAM_VEC_REAL1(log)
TANGRAM_VEC_REAL1(log10)
TANGRAM_VEC_REAL1(log1p)
TANGRAM_VEC_REAL1(log2)
TANGRAM_VEC_REAL1(rint)
TANGRAM_VEC_REAL1(round)
TANGRAM_VEC_REAL1(sin)
TANGRAM_VEC_REAL1(sinh)
TANGRAM_VEC_REAL1(tan)
TANGRAM_VEC_REAL1(tanh)
TANGRAM_VEC_REAL1(tgamma)
TANGRAM_VEC_REAL1(trunc)
TANGRAM_VEC_REAL2(atan2)
TANGRAM_VEC_REAL2(copysign)
TANGRAM_VEC_REAL2(fdim)
TANGRAM_VEC_REAL2(fmod)
TANGRAM_VEC_REAL2(hypot)
TANGRAM_VEC_REAL2(pow)
TANGRAM_VEC_FUNCTION1(int, abs)
#undef TANGRAM_VEC_FUNCTION1
#undef TANGRAM_VEC_FUNCTION2
#undef TANGRAM_VEC_REAL1
#undef TANGRAM_VEC_REAL2

// Those that registers can do.
#define TANGRAM_VEC_REAL(T, f)                                                                                         \
  template <int N> TANGRAM_INLINE vec<T, N> sqrt##f(const vec<T, N> &a) {                                              \
    auto root = [](T x) { return T(__builtin_sqrt##f(x)); };                                                           \
    if constexpr (!vec<T, N>::whole)                                                                                   \
      return vec<T, N>::join(sqrt##f(a.lo), sqrt##f(a.hi));                                                            \
    else if constexpr (sizeof(a.r) >= 16 && vec_detail::has_root)                                                      \
      return vec_detail::root(a);                                                                                      \
    else                                                                                                               \
      return vec_detail::lanewise<T, decltype(root), N>(root, a);                                                      \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> fabs##f(const vec<T, N> &a) {                                              \
    if constexpr (vec<T, N>::whole) {                                                                                  \
      using I = vec_detail::uint_of<sizeof(T)>;                                                                        \
      using W = typename vec_detail::native<I, N>::type;                                                               \
      vec<T, N> v;                                                                                                     \
      v.r = (decltype(v.r))((W)a.r & vec<I, N>(I(I(-1) >> 1)).r);                                                      \
      return v;                                                                                                        \
    } else {                                                                                                           \
      return vec<T, N>::join(fabs##f(a.lo), fabs##f(a.hi));                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> fmin##f(const vec<T, N> &a, const vec<T, N> &b) {                          \
    return select((a < b) | (b != b), a, b);                                                                           \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> fmax##f(const vec<T, N> &a, const vec<T, N> &b) {                          \
    return select((b < a) | (b != b), a, b);                                                                           \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> fma##f(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) {       \
    auto f_ = [](T x, T y, T z) { return T(__builtin_fma##f(x, y, z)); };                                              \
    return vec_detail::lanewise<T, decltype(f_), N>(f_, a, b, c);                                                      \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<bool, N> isnan(const vec<T, N> &a) { return a != a; }                            \
  template <int N> TANGRAM_INLINE vec<bool, N> isinf(const vec<T, N> &a) {                                             \
    return fabs##f(a) == vec<T, N>(T(__builtin_huge_val()));                                                           \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<bool, N> isfinite(const vec<T, N> &a) {                                          \
    return fabs##f(a) < vec<T, N>(T(__builtin_huge_val()));                                                            \
  }

namespace vec_detail {
#if defined(TANGRAM_VEC_AVX512)
inline constexpr bool has_root = true;
template <class T, int N> TANGRAM_INLINE vec<T, N> root(vec<T, N> a) {
  constexpr bool single = sizeof(T) == 4;
  if constexpr (sizeof(a.r) == 64 && single) a.r = (decltype(a.r))_mm512_maskz_sqrt_ps(__mmask16(-1), (__m512)a.r);
  if constexpr (sizeof(a.r) == 64 && !single) a.r = (decltype(a.r))_mm512_maskz_sqrt_pd(__mmask8(-1), (__m512d)a.r);
  if constexpr (sizeof(a.r) == 32 && single) a.r = (decltype(a.r))_mm256_sqrt_ps((__m256)a.r);
  if constexpr (sizeof(a.r) == 32 && !single) a.r = (decltype(a.r))_mm256_sqrt_pd((__m256d)a.r);
  if constexpr (sizeof(a.r) == 16 && single) a.r = (decltype(a.r))_mm_sqrt_ps((__m128)a.r);
  if constexpr (sizeof(a.r) == 16 && !single) a.r = (decltype(a.r))_mm_sqrt_pd((__m128d)a.r);
  return a;
}
#else
inline constexpr bool has_root = false;
template <class T, int N> TANGRAM_INLINE vec<T, N> root(vec<T, N> a) { return a; }
#endif
} // namespace vec_detail

TANGRAM_VEC_REAL(double, )
TANGRAM_VEC_REAL(float, f)
#undef TANGRAM_VEC_REAL

template <int N> TANGRAM_INLINE vec<std::int64_t, N> llabs(const vec<std::int64_t, N> &a) {
  return select(a < vec<std::int64_t, N>(0), -a, a);
}

} // namespace tangram
#endif
