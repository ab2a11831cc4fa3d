// Registers of whole numbers, made wider and narrower by the instructions that processors have for it: where elements
// of a vector fill only a part of a register, compilers take them out one by one.
#ifndef TANGRAM_RUNTIME_VEC_INTEGERS_H
#define TANGRAM_RUNTIME_VEC_INTEGERS_H

#include "tangram/runtime/vec/mask.h"

#include <cstring>

namespace tangram::vec_detail {

/// Whether resized() has instructions for N whole numbers of size From that become numbers of size To.
template <std::size_t From, std::size_t To, int N> constexpr bool resizes() {
  constexpr std::size_t wider = (From < To ? To : From) * N;
  (void)wider;
#if defined(TANGRAM_VEC_AVX512)
  return From != To && (wider == 16 || wider == 32 || wider == 64);
#elif defined(__AVX2__)
  return From != To && (wider == 16 || wider == 32);
#elif defined(__SSE4_1__)
  return From != To && wider == 16;
#else
  return false;
#endif
}

#if defined(__SSE4_1__)
template <std::size_t Bytes> struct integer_register {
  using type = __m128i; // what is shorter fills a part of it
};
#if defined(__AVX2__)
template <> struct integer_register<32> {
  using type = __m256i;
};
#endif
#if defined(TANGRAM_VEC_AVX512)
template <> struct integer_register<64> {
  using type = __m512i;
};
#endif

/// What is behind the elements of a short vector is anything.
template <class V> TANGRAM_INLINE auto integers(const V &v) {
  using R = typename integer_register<sizeof(V)>::type;
  if constexpr (sizeof(V) == sizeof(R)) {
    return (R)v;
  } else if constexpr (sizeof(V) == 8) {
    long long bits;
    std::memcpy(&bits, &v, sizeof bits);
    return _mm_cvtsi64_si128(bits);
  } else {
    int bits = 0;
    std::memcpy(&bits, &v, sizeof(V));
    return _mm_cvtsi32_si128(bits);
  }
}
template <class V, class R> TANGRAM_INLINE V first_integers(R r) {
  if constexpr (sizeof(V) == sizeof(R)) {
    return (V)r;
  } else {
    V v;
    std::memcpy(&v, &r, sizeof(V));
    return v;
  }
}

template <std::size_t From, std::size_t To, bool Signed, std::size_t Bytes, class R> TANGRAM_INLINE auto widened(R r) {
#define TANGRAM_VEC_WIDEN(bytes, prefix, from, to)                                                                     \
  if constexpr (Bytes == bytes && From == from / 8 && To == to / 8) {                                                  \
    if constexpr (Signed)                                                                                              \
      return prefix##_cvtepi##from##_epi##to(r);                                                                       \
    else                                                                                                               \
      return prefix##_cvtepu##from##_epi##to(r);                                                                       \
  }
#define TANGRAM_VEC_WIDEN_ALL(bytes, prefix)                                                                           \
  TANGRAM_VEC_WIDEN(bytes, prefix, 8, 16)                                                                              \
  TANGRAM_VEC_WIDEN(bytes, prefix, 8, 32)                                                                              \
  TANGRAM_VEC_WIDEN(bytes, prefix, 8, 64)                                                                              \
  TANGRAM_VEC_WIDEN(bytes, prefix, 16, 32)                                                                             \
  TANGRAM_VEC_WIDEN(bytes, prefix, 16, 64)                                                                             \
  TANGRAM_VEC_WIDEN(bytes, prefix, 32, 64)
  TANGRAM_VEC_WIDEN_ALL(16, _mm)
#if defined(__AVX2__)
  TANGRAM_VEC_WIDEN_ALL(32, _mm256)
#endif
#undef TANGRAM_VEC_WIDEN
#if defined(TANGRAM_VEC_AVX512) // masked: of the others g++ 12 warns that they have read what is undefined
#define TANGRAM_VEC_WIDEN(bytes, prefix, from, to)                                                                     \
  if constexpr (Bytes == bytes && From == from / 8 && To == to / 8) {                                                  \
    if constexpr (Signed)                                                                                              \
      return prefix##_maskz_cvtepi##from##_epi##to(bits<bytes * 8 / to>(-1), r);                                       \
    else                                                                                                               \
      return prefix##_maskz_cvtepu##from##_epi##to(bits<bytes * 8 / to>(-1), r);                                       \
  }
  TANGRAM_VEC_WIDEN_ALL(64, _mm512)
#undef TANGRAM_VEC_WIDEN
#endif
#undef TANGRAM_VEC_WIDEN_ALL
}

#if defined(TANGRAM_VEC_AVX512)
template <std::size_t From, std::size_t To, class R> TANGRAM_INLINE auto narrowed(R r) {
#define TANGRAM_VEC_NARROW(bytes, prefix, from, to)                                                                    \
  if constexpr (sizeof(R) == bytes && From == from / 8 && To == to / 8)                                                \
    return prefix##_maskz_cvtepi##from##_epi##to(bits<bytes * 8 / from>(-1), r);
#define TANGRAM_VEC_NARROW_ALL(bytes, prefix)                                                                          \
  TANGRAM_VEC_NARROW(bytes, prefix, 16, 8)                                                                             \
  TANGRAM_VEC_NARROW(bytes, prefix, 32, 8)                                                                             \
  TANGRAM_VEC_NARROW(bytes, prefix, 64, 8)                                                                             \
  TANGRAM_VEC_NARROW(bytes, prefix, 32, 16)                                                                            \
  TANGRAM_VEC_NARROW(bytes, prefix, 64, 16)                                                                            \
  TANGRAM_VEC_NARROW(bytes, prefix, 64, 32)
  TANGRAM_VEC_NARROW_ALL(16, _mm)
  TANGRAM_VEC_NARROW_ALL(32, _mm256)
  TANGRAM_VEC_NARROW_ALL(64, _mm512)
#undef TANGRAM_VEC_NARROW_ALL
#undef TANGRAM_VEC_NARROW
}
#else
/// The low bytes of the elements, in front.
template <std::size_t From, std::size_t To> TANGRAM_INLINE __m128i narrowed(__m128i r) {
  constexpr int each = int(From / To);
  auto byte = [](int i) {
    return i >= 16 / each ? char(-1) : char(i / int(To) * int(From) + i % int(To)); // -1: zero
  };
  return _mm_shuffle_epi8(r,
                          _mm_setr_epi8(byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8),
                                        byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)));
}
#if defined(__AVX2__)
template <std::size_t From, std::size_t To> TANGRAM_INLINE __m128i narrowed(__m256i r) {
  const __m128i low = narrowed<From, To>(_mm256_castsi256_si128(r)),
                high = narrowed<From, To>(_mm256_extracti128_si256(r, 1));
  if constexpr (From / To == 2)
    return _mm_unpacklo_epi64(low, high);
  else if constexpr (From / To == 4)
    return _mm_unpacklo_epi32(low, high);
  else
    return _mm_unpacklo_epi16(low, high);
}
#endif
#endif
#endif

/// A register of whole numbers of size From, signed or not, as V, numbers of size To: the sign or zeros in front, or
/// without what does not fit. Where resizes().
template <class V, std::size_t From, std::size_t To, bool Signed, class W> TANGRAM_INLINE V resized(const W &v) {
#if defined(__SSE4_1__)
  if constexpr (From < To)
    return (V)widened<From, To, Signed, sizeof(V)>(integers(v));
  else
    return first_integers<V>(narrowed<From, To>(integers(v)));
#else
  return __builtin_convertvector(v, V);
#endif
}

} // namespace tangram::vec_detail
#endif
