// vec<bool, N>: one bit a lane, lane 0 the lowest.
#ifndef TANGRAM_RUNTIME_VEC_MASK_H
#define TANGRAM_RUNTIME_VEC_MASK_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  static TANGRAM_INLINE vec from_bits(std::uint64_t bits) {
    vec m;
    m.value = static_cast<vec_detail::bits<N>>(bits & full());
    return m;
  }
  static TANGRAM_INLINE vec join(half low, half high) {
    if constexpr (whole) {
      return from_bits(std::uint64_t(low.value) | (std::uint64_t(high.value) << (N / 2)));
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
      return from_bits(std::uint64_t(a.value) & b.value);
    else
      return join(a.lo & b.lo, a.hi & b.hi);
  }
  friend TANGRAM_INLINE vec operator|(vec a, vec b) {
    if constexpr (whole)
      return from_bits(std::uint64_t(a.value) | b.value);
    else
      return join(a.lo | b.lo, a.hi | b.hi);
  }
  friend TANGRAM_INLINE vec operator^(vec a, vec b) {
    if constexpr (whole)
      return from_bits(std::uint64_t(a.value) ^ b.value);
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
    return 63 - __builtin_clzll(m.value);
  else
    return any(m.hi) ? last_lane(m.hi) + N / 2 : last_lane(m.lo);
}
template <int N>
TANGRAM_INLINE vec<bool, N> select(vec<bool, N> m, vec<bool, N> a, const std::common_type_t<vec<bool, N>> &b) {
  return (m & a) | (~m & b);
}

} // namespace tangram
#endif
