// The C math library of vectors, under its C names: by instructions for registers where there are some, by a vector
// math library, else lane by lane.
#ifndef TANGRAM_RUNTIME_VEC_MATH_H
#define TANGRAM_RUNTIME_VEC_MATH_H

#include "tangram/runtime/vec/registers.h"

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
#define TANGRAM_VEC_FUNCTION3(T, name)                                                                                 \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) {         \
    auto f = [](T x, T y, T z) { return T(::name(x, y, z)); };                                                         \
    return vec_detail::lanewise<T, decltype(f), N>(f, a, b, c);                                                        \
  }
#define TANGRAM_VEC_REAL1(name) TANGRAM_VEC_FUNCTION1(double, name) TANGRAM_VEC_FUNCTION1(float, name##f)
#define TANGRAM_VEC_REAL2(name) TANGRAM_VEC_FUNCTION2(double, name) TANGRAM_VEC_FUNCTION2(float, name##f)
#define TANGRAM_VEC_REAL3(name) TANGRAM_VEC_FUNCTION3(double, name) TANGRAM_VEC_FUNCTION3(float, name##f)

// By register: `call` is of vec_detail.
#define TANGRAM_VEC_REGISTER1(T, name, least, call)                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a) {                                                 \
    return vec_detail::by_register<T, N, least>([](auto x) { return vec_detail::call(x); }, a);                        \
  }
#define TANGRAM_VEC_REGISTER2(T, name, least, call)                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b) {                             \
    return vec_detail::by_register<T, N, least>([](auto x, auto y) { return vec_detail::call(x, y); }, a, b);          \
  }
#define TANGRAM_VEC_REGISTER3(T, name, least, call)                                                                    \
  template <int N> TANGRAM_INLINE vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) {         \
    return vec_detail::by_register<T, N, least>([](auto x, auto y, auto z) { return vec_detail::call(x, y, z); }, a,   \
                                                b, c);                                                                 \
  }
#define TANGRAM_VEC_REGISTERS1(name, least, call)                                                                      \
  TANGRAM_VEC_REGISTER1(double, name, least, call) TANGRAM_VEC_REGISTER1(float, name##f, least, call)
#define TANGRAM_VEC_REGISTERS2(name, least, call)                                                                      \
  TANGRAM_VEC_REGISTER2(double, name, least, call) TANGRAM_VEC_REGISTER2(float, name##f, least, call)
#define TANGRAM_VEC_REGISTERS3(name, least, call)                                                                      \
  TANGRAM_VEC_REGISTER3(double, name, least, call) TANGRAM_VEC_REGISTER3(float, name##f, least, call)

#if TANGRAM_VEC_MATH_LIBRARY
#define TANGRAM_VEC_LIBRARY1(name) TANGRAM_VEC_REGISTERS1(name, vec_detail::library_bytes, library::name)
#define TANGRAM_VEC_LIBRARY2(name) TANGRAM_VEC_REGISTERS2(name, vec_detail::library_bytes, library::name)
#else
#define TANGRAM_VEC_LIBRARY1(name) TANGRAM_VEC_REAL1(name)
#define TANGRAM_VEC_LIBRARY2(name) TANGRAM_VEC_REAL2(name)
#endif
#if defined(__SSE4_1__)
#define TANGRAM_VEC_ROUNDED(name, mode) TANGRAM_VEC_REGISTERS1(name, 16, rounded<mode>)
#else
#define TANGRAM_VEC_ROUNDED(name, mode) TANGRAM_VEC_REAL1(name)
#endif

TANGRAM_VEC_LIBRARY1(acos)
TANGRAM_VEC_LIBRARY1(acosh)
TANGRAM_VEC_LIBRARY1(asin)
TANGRAM_VEC_LIBRARY1(asinh)
TANGRAM_VEC_LIBRARY1(atan)
TANGRAM_VEC_LIBRARY1(atanh)
TANGRAM_VEC_LIBRARY1(cbrt)
TANGRAM_VEC_ROUNDED(ceil, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
TANGRAM_VEC_LIBRARY1(cos)
TANGRAM_VEC_LIBRARY1(cosh)
TANGRAM_VEC_LIBRARY1(erf)
TANGRAM_VEC_LIBRARY1(erfc)
TANGRAM_VEC_LIBRARY1(exp)
TANGRAM_VEC_LIBRARY1(exp2)
TANGRAM_VEC_LIBRARY1(expm1)
TANGRAM_VEC_ROUNDED(floor, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
TANGRAM_VEC_REAL1(lgamma)
TANGRAM_VEC_LIBRARY1(log)
TANGRAM_VEC_LIBRARY1(log10)
TANGRAM_VEC_LIBRARY1(log1p)
TANGRAM_VEC_LIBRARY1(log2)
TANGRAM_VEC_ROUNDED(rint, _MM_FROUND_CUR_DIRECTION)
TANGRAM_VEC_REAL1(round)
TANGRAM_VEC_LIBRARY1(sin)
TANGRAM_VEC_LIBRARY1(sinh)
TANGRAM_VEC_LIBRARY1(tan)
TANGRAM_VEC_LIBRARY1(tanh)
TANGRAM_VEC_REAL1(tgamma)
TANGRAM_VEC_ROUNDED(trunc, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
TANGRAM_VEC_LIBRARY2(atan2)
TANGRAM_VEC_REAL2(copysign)
TANGRAM_VEC_REAL2(fdim)
TANGRAM_VEC_REAL2(fmod)
TANGRAM_VEC_LIBRARY2(hypot)
TANGRAM_VEC_LIBRARY2(pow)
TANGRAM_VEC_FUNCTION1(int, abs)
#if defined(__SSE2__)
TANGRAM_VEC_REGISTERS1(sqrt, 16, root)
#else
TANGRAM_VEC_REAL1(sqrt)
#endif
#if defined(__FMA__)
TANGRAM_VEC_REGISTERS3(fma, 16, fused)
#else
TANGRAM_VEC_REAL3(fma)
#endif
#undef TANGRAM_VEC_FUNCTION1
#undef TANGRAM_VEC_FUNCTION2
#undef TANGRAM_VEC_FUNCTION3
#undef TANGRAM_VEC_REAL1
#undef TANGRAM_VEC_REAL2
#undef TANGRAM_VEC_REAL3
#undef TANGRAM_VEC_REGISTER1
#undef TANGRAM_VEC_REGISTER2
#undef TANGRAM_VEC_REGISTER3
#undef TANGRAM_VEC_REGISTERS1
#undef TANGRAM_VEC_REGISTERS2
#undef TANGRAM_VEC_REGISTERS3
#undef TANGRAM_VEC_LIBRARY1
#undef TANGRAM_VEC_LIBRARY2
#undef TANGRAM_VEC_ROUNDED

// Those that arithmetic and comparisons make.
#define TANGRAM_VEC_REAL(T, f)                                                                                         \
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
  template <int N> TANGRAM_INLINE vec<bool, N> isnan(const vec<T, N> &a) { return a != a; }                            \
  template <int N> TANGRAM_INLINE vec<bool, N> isinf(const vec<T, N> &a) {                                             \
    return fabs##f(a) == vec<T, N>(T(__builtin_huge_val()));                                                           \
  }                                                                                                                    \
  template <int N> TANGRAM_INLINE vec<bool, N> isfinite(const vec<T, N> &a) {                                          \
    return fabs##f(a) < vec<T, N>(T(__builtin_huge_val()));                                                            \
  }

TANGRAM_VEC_REAL(double, )
TANGRAM_VEC_REAL(float, f)
#undef TANGRAM_VEC_REAL

template <int N> TANGRAM_INLINE vec<std::int64_t, N> llabs(const vec<std::int64_t, N> &a) {
  return select(a < vec<std::int64_t, N>(0), -a, a);
}

} // namespace tangram
#endif
