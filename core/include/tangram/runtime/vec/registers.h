// Functions that processors and libraries have for whole registers of numbers: overloads for the register types, and
// by_register(), which takes vectors of any length apart into such registers.
#ifndef TANGRAM_RUNTIME_VEC_REGISTERS_H
#define TANGRAM_RUNTIME_VEC_REGISTERS_H

#include "tangram/runtime/vec/vector.h"

#include <cmath>

// The vector math library of glibc: within 4 ulp, also of infinities, subnormal and large numbers. Its results are not
// those of the scalar functions to the last bit: where these are asked for, define this as 0 before.
#if !defined(TANGRAM_VEC_MATH_LIBRARY)
#if defined(__x86_64__) && defined(__LP64__) && defined(__GLIBC__)
#define TANGRAM_VEC_MATH_LIBRARY __GLIBC_PREREQ(2, 35)
#else
#define TANGRAM_VEC_MATH_LIBRARY 0
#endif
#endif

namespace tangram::vec_detail {

#if defined(__SSE2__)
template <class T, std::size_t Bytes> struct machine_register;
template <> struct machine_register<float, 16> {
  using type = __m128;
};
template <> struct machine_register<double, 16> {
  using type = __m128d;
};
#if defined(__AVX__)
template <> struct machine_register<float, 32> {
  using type = __m256;
};
template <> struct machine_register<double, 32> {
  using type = __m256d;
};
#endif
#if defined(TANGRAM_VEC_AVX512)
template <> struct machine_register<float, 64> {
  using type = __m512;
};
template <> struct machine_register<double, 64> {
  using type = __m512d;
};
#endif

/// f of vectors, register by register, of at least so many bytes: vectors that do not fill one are repeated in it.
template <class T, int N, std::size_t Least, class F, class... V>
TANGRAM_INLINE vec<T, N> by_register(F f, const V &...v) {
  if constexpr (!vec<T, N>::whole) {
    return vec<T, N>::join(by_register<T, N / 2, Least>(f, v.lo...), by_register<T, N / 2, Least>(f, v.hi...));
  } else if constexpr (sizeof(T) * N < Least) {
    return by_register<T, 2 * N, Least>(f, vec<T, 2 * N>::join(v, v)...).low();
  } else {
    using R = typename machine_register<T, sizeof(T) * N>::type;
    vec<T, N> result;
    result.r = (decltype(result.r))f((R)v.r...);
    return result;
  }
}

TANGRAM_INLINE __m128 root(__m128 a) { return _mm_sqrt_ps(a); }
TANGRAM_INLINE __m128d root(__m128d a) { return _mm_sqrt_pd(a); }
#if defined(__AVX__)
TANGRAM_INLINE __m256 root(__m256 a) { return _mm256_sqrt_ps(a); }
TANGRAM_INLINE __m256d root(__m256d a) { return _mm256_sqrt_pd(a); }
#endif
#if defined(TANGRAM_VEC_AVX512) // masked: of the others g++ 12 warns that they have read what is undefined
TANGRAM_INLINE __m512 root(__m512 a) { return _mm512_maskz_sqrt_ps(__mmask16(-1), a); }
TANGRAM_INLINE __m512d root(__m512d a) { return _mm512_maskz_sqrt_pd(__mmask8(-1), a); }
#endif

#if defined(__SSE4_1__)
template <int Mode> TANGRAM_INLINE __m128 rounded(__m128 a) { return _mm_round_ps(a, Mode); }
template <int Mode> TANGRAM_INLINE __m128d rounded(__m128d a) { return _mm_round_pd(a, Mode); }
#if defined(__AVX__)
template <int Mode> TANGRAM_INLINE __m256 rounded(__m256 a) { return _mm256_round_ps(a, Mode); }
template <int Mode> TANGRAM_INLINE __m256d rounded(__m256d a) { return _mm256_round_pd(a, Mode); }
#endif
#if defined(TANGRAM_VEC_AVX512)
template <int Mode> TANGRAM_INLINE __m512 rounded(__m512 a) {
  return _mm512_maskz_roundscale_ps(__mmask16(-1), a, Mode);
}
template <int Mode> TANGRAM_INLINE __m512d rounded(__m512d a) {
  return _mm512_maskz_roundscale_pd(__mmask8(-1), a, Mode);
}
#endif
#endif

#if defined(__FMA__)
TANGRAM_INLINE __m128 fused(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
TANGRAM_INLINE __m128d fused(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
TANGRAM_INLINE __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
TANGRAM_INLINE __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#if defined(TANGRAM_VEC_AVX512)
TANGRAM_INLINE __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
TANGRAM_INLINE __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#endif
#endif
#endif

// Names as the x86-64 vector function ABI makes them: b, d, e for SSE2, AVX2, AVX-512; the number of lanes; a v for
// each argument that is a vector.
#if TANGRAM_VEC_MATH_LIBRARY
inline constexpr std::size_t library_bytes = native_bytes < 32 ? 16 : 32; // SSE code amid AVX code is slow

namespace library {
#if defined(TANGRAM_VEC_AVX512)
#define TANGRAM_VEC_DECLARE512(name, args, F, D)                                                                       \
  __attribute__((const, nothrow)) __m512 name F __asm__("_ZGVeN16" args "_" #name "f");                                \
  __attribute__((const, nothrow)) __m512d name D __asm__("_ZGVeN8" args "_" #name);
#else
#define TANGRAM_VEC_DECLARE512(name, args, F, D)
#endif
#if defined(__AVX2__)
#define TANGRAM_VEC_DECLARE256(name, args, F, D)                                                                       \
  __attribute__((const, nothrow)) __m256 name F __asm__("_ZGVdN8" args "_" #name "f");                                 \
  __attribute__((const, nothrow)) __m256d name D __asm__("_ZGVdN4" args "_" #name);
#else
#define TANGRAM_VEC_DECLARE256(name, args, F, D)
#endif
#define TANGRAM_VEC_DECLARE128(name, args, F, D)                                                                       \
  __attribute__((const, nothrow)) __m128 name F __asm__("_ZGVbN4" args "_" #name "f");                                 \
  __attribute__((const, nothrow)) __m128d name D __asm__("_ZGVbN2" args "_" #name);
#define TANGRAM_VEC_LIBRARY1(name)                                                                                     \
  TANGRAM_VEC_DECLARE512(name, "v", (__m512), (__m512d))                                                               \
  TANGRAM_VEC_DECLARE256(name, "v", (__m256), (__m256d))                                                               \
  TANGRAM_VEC_DECLARE128(name, "v", (__m128), (__m128d))
#define TANGRAM_VEC_LIBRARY2(name)                                                                                     \
  TANGRAM_VEC_DECLARE512(name, "vv", (__m512, __m512), (__m512d, __m512d))                                             \
  TANGRAM_VEC_DECLARE256(name, "vv", (__m256, __m256), (__m256d, __m256d))                                             \
  TANGRAM_VEC_DECLARE128(name, "vv", (__m128, __m128), (__m128d, __m128d))
TANGRAM_VEC_LIBRARY1(acos)
TANGRAM_VEC_LIBRARY1(acosh)
TANGRAM_VEC_LIBRARY1(asin)
TANGRAM_VEC_LIBRARY1(asinh)
TANGRAM_VEC_LIBRARY1(atan)
TANGRAM_VEC_LIBRARY1(atanh)
TANGRAM_VEC_LIBRARY1(cbrt)
TANGRAM_VEC_LIBRARY1(cos)
TANGRAM_VEC_LIBRARY1(cosh)
TANGRAM_VEC_LIBRARY1(erf)
TANGRAM_VEC_LIBRARY1(erfc)
TANGRAM_VEC_LIBRARY1(exp)
TANGRAM_VEC_LIBRARY1(exp2)
TANGRAM_VEC_LIBRARY1(expm1)
TANGRAM_VEC_LIBRARY1(log)
TANGRAM_VEC_LIBRARY1(log10)
TANGRAM_VEC_LIBRARY1(log1p)
TANGRAM_VEC_LIBRARY1(log2)
TANGRAM_VEC_LIBRARY1(sin) // of one number sin and cos apart are quicker than the library's sincos, which scatters
TANGRAM_VEC_LIBRARY1(sinh)
TANGRAM_VEC_LIBRARY1(tan)
TANGRAM_VEC_LIBRARY1(tanh)
TANGRAM_VEC_LIBRARY2(atan2)
TANGRAM_VEC_LIBRARY2(hypot)
TANGRAM_VEC_LIBRARY2(pow)
#undef TANGRAM_VEC_LIBRARY1
#undef TANGRAM_VEC_LIBRARY2
#undef TANGRAM_VEC_DECLARE128
#undef TANGRAM_VEC_DECLARE256
#undef TANGRAM_VEC_DECLARE512
} // namespace library
#endif

} // namespace tangram::vec_detail
#endif
