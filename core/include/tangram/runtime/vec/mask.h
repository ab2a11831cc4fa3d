// vec<bool, N>: one bit a lane, lane 0 the lowest.
#ifndef TANGRAM_RUNTIME_VEC_MASK_H
#define TANGRAM_RUNTIME_VEC_MASK_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TANGRAM_VEC_AVX512 1
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define TANGRAM_INLINE inline __attribute__((always_inline))

namespace tangram {

template <class T, int N> struct vec;

namespace vec_detail {
template <int N>
using bits = std::conditional_t<
    (N <= 8), std::uint8_t,
    std::conditional_t<(N <= 16), std::uint16_t, std::conditional_t<(N <= 32), std::uint32_t, std::uint64_t>>>;

/// What a mask of N lanes holds: bits up to 64 lanes, two halves beyond.
template <int N, bool Whole = (N <= 64)> struct mask_storage {
  bits<N> value;
};
template <int N> struct mask_storage<N, false> {
  vec<bool, N / 2> lo, hi;
};

/// A mask's bits as a number, 0 above them. g++ 12 makes one of this and of the comparison that the mask is from, and
/// leaves undefined what is above: it must not see where the bits are from.
template <class Bits> TANGRAM_INLINE std::uint64_t number(Bits bits) {
#if defined(TANGRAM_VEC_AVX512) && !defined(__clang__)
  if (!__builtin_constant_p(bits)) asm("" : "+r"(bits));
#endif
  return bits;
}

template <int N> TANGRAM_INLINE bits<N> join_bits(bits<N / 2> low, bits<N / 2> high) {
#if defined(TANGRAM_VEC_AVX512)
  if constexpr (N == 16) return _mm512_kunpackb(high, low);
  if constexpr (N == 32) return _mm512_kunpackw(high, low);
  if constexpr (N == 64) return _mm512_kunpackd(high, low);
#endif
  return static_cast<bits<N>>(number(low) | (number(high) << (N / 2)));
}
} // namespace vec_detail

template <int N> struct vec<bool, N> : vec_detail::mask_storage<N> {
  static_assert(N > 0 && (N & (N - 1)) == 0, "the number of lanes is a power of two");
  using element = bool;
  using half = vec<bool, N / 2>;
  static constexpr int size = N;
  static constexpr bool whole = N <= 64;

  vec() = default;
  TANGRAM_INLINE vec(bool all) {
    if constexpr (whole) {
      this->value = all ? full() : 0;
    } else {
      this->lo = half(all);
      this->hi = half(all);
    }
  }
  /// Up to 64 lanes.
  static TANGRAM_INLINE vec from_bits(std::uint64_t bits) { return of(bits & full()); }
  /// Bits of which none is above the lanes.
  static TANGRAM_INLINE vec of(vec_detail::bits<N> bits) {
    vec m;
    m.value = bits;
    return m;
  }
  static TANGRAM_INLINE vec join(half low, half high) {
    if constexpr (whole) {
      return of(vec_detail::join_bits<N>(low.value, high.value));
    } else {
      vec m;
      m.lo = low;
      m.hi = high;
      return m;
    }
  }
  TANGRAM_INLINE half low() const {
    if constexpr (whole)
      return half::from_bits(this->value);
    else
      return this->lo;
  }
  TANGRAM_INLINE half high() const {
    if constexpr (whole)
      return half::from_bits(std::uint64_t(this->value) >> (N / 2));
    else
      return this->hi;
  }
  TANGRAM_INLINE bool operator[](std::size_t lane) const {
    if constexpr (whole)
      return (std::uint64_t(this->value) >> lane) & 1;
    else
      return lane < N / 2 ? this->lo[lane] : this->hi[lane - N / 2];
  }

  friend TANGRAM_INLINE vec operator&(vec a, vec b) {
    if constexpr (whole)
      return of(a.value & b.value);
    else
      return join(a.lo & b.lo, a.hi & b.hi);
  }
  friend TANGRAM_INLINE vec operator|(vec a, vec b) {
    if constexpr (whole)
      return of(a.value | b.value);
    else
      return join(a.lo | b.lo, a.hi | b.hi);
  }
  friend TANGRAM_INLINE vec operator^(vec a, vec b) {
    if constexpr (whole)
      return of(a.value ^ b.value);
    else
      return join(a.lo ^ b.lo, a.hi ^ b.hi);
  }
  friend TANGRAM_INLINE vec operator!(vec a) { return a ^ vec(true); }
  friend TANGRAM_INLINE vec operator~(vec a) { return a ^ vec(true); }
  friend TANGRAM_INLINE vec operator==(vec a, vec b) { return !(a ^ b); }
  friend TANGRAM_INLINE vec operator!=(vec a, vec b) { return a ^ b; }
  friend TANGRAM_INLINE vec operator<(vec a, vec b) { return ~a & b; }
  friend TANGRAM_INLINE vec operator>(vec a, vec b) { return a & ~b; }
  friend TANGRAM_INLINE vec operator<=(vec a, vec b) { return ~a | b; }
  friend TANGRAM_INLINE vec operator>=(vec a, vec b) { return a | ~b; }
  TANGRAM_INLINE vec &operator&=(vec b) { return *this = *this & b; }
  TANGRAM_INLINE vec &operator|=(vec b) { return *this = *this | b; }
  TANGRAM_INLINE vec &operator^=(vec b) { return *this = *this ^ b; }

private:
  static constexpr std::uint64_t full() { return N >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << (N % 64)) - 1; }
};

template <int N> TANGRAM_INLINE bool any(vec<bool, N> m) {
  if constexpr (N <= 64)
    return m.value != 0;
  else
    return any(m.lo) || any(m.hi);
}
template <int N> TANGRAM_INLINE bool all(vec<bool, N> m) { return !any(!m); }
/// The lowest and the highest lane that is set; some lane must be.
template <int N> TANGRAM_INLINE int first_lane(vec<bool, N> m) {
  if constexpr (N <= 64)
    return __builtin_ctzll(m.value);
  else
    return any(m.lo) ? first_lane(m.lo) : first_lane(m.hi) + N / 2;
}
template <int N> TANGRAM_INLINE int last_lane(vec<bool, N> m) {
  if constexpr (N <= 64)
    return 63 - __builtin_clzll(vec_detail::number(m.value));
  else
    return any(m.hi) ? last_lane(m.hi) + N / 2 : last_lane(m.lo);
}
template <int N>
TANGRAM_INLINE vec<bool, N> select(vec<bool, N> m, vec<bool, N> a, const std::common_type_t<vec<bool, N>> &b) {
  return (m & a) | (~m & b);
}

} // namespace tangram
#endif
