// vec<T, N> of numbers: arithmetic, comparison, selection, conversion, reduction.
#ifndef TANGRAM_RUNTIME_VEC_VECTOR_H
#define TANGRAM_RUNTIME_VEC_VECTOR_H

#include "tangram/runtime/vec/integers.h"

#include <utility>

namespace tangram {
namespace vec_detail {

#if defined(TANGRAM_VEC_AVX512)
inline constexpr int native_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int native_bytes = 32;
#else
inline constexpr int native_bytes = 16;
#endif

template <class T, int N> inline constexpr bool fits = int(sizeof(T)) * N <= native_bytes;
/// Divided by a power of two by shifting.
template <class T> inline constexpr bool shifts = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
template <class T, int N> struct native {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

} // namespace vec_detail

template <class U, class T, int N> TANGRAM_INLINE vec<U, N> convert(const vec<T, N> &a);

namespace vec_detail {

/// One register, or two halves.
template <class T, int N, bool Whole = fits<T, N>> struct storage {
  typename native<T, N>::type r;
};
template <class T, int N> struct storage<T, N, false> {
  vec<T, N / 2> lo, hi;
};

template <std::size_t Bytes>
using uint_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<T>>::type;

enum class Compare { Eq, Lt, Le, Ne, Ge, Gt };

// Lane-wise results of the vector extensions (0 or -1 a lane) to bits and back.
template <int N, class V> TANGRAM_INLINE vec<bool, N> to_mask(V lanes) {
  constexpr std::size_t element = sizeof(V) / N;
  (void)element;
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16 && element == 4) {
    return vec<bool, N>::from_bits(_mm_movemask_ps((__m128)lanes));
  } else if constexpr (sizeof(V) == 16 && element == 8) {
    return vec<bool, N>::from_bits(_mm_movemask_pd((__m128d)lanes));
  } else if constexpr (sizeof(V) == 16 && element == 1) {
    return vec<bool, N>::from_bits(std::uint32_t(_mm_movemask_epi8((__m128i)lanes)));
  } else if constexpr (sizeof(V) == 16 && element == 2) {
    return vec<bool, N>::from_bits(
        std::uint32_t(_mm_movemask_epi8(_mm_packs_epi16((__m128i)lanes, _mm_setzero_si128()))));
  } else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32 && element == 4) {
    return vec<bool, N>::from_bits(_mm256_movemask_ps((__m256)lanes));
  } else if constexpr (sizeof(V) == 32 && element == 8) {
    return vec<bool, N>::from_bits(_mm256_movemask_pd((__m256d)lanes));
  } else if constexpr (sizeof(V) == 32 && element == 1) {
    return vec<bool, N>::from_bits(std::uint32_t(_mm256_movemask_epi8((__m256i)lanes)));
  } else if constexpr (sizeof(V) == 32 && element == 2) {
    const std::uint32_t halves = _mm256_movemask_epi8(_mm256_packs_epi16((__m256i)lanes, _mm256_setzero_si256()));
    return vec<bool, N>::from_bits((halves & 0xff) | (halves >> 8 & 0xff00));
  } else
#endif
  {
    std::uint64_t bits = 0;
    for (int i = 0; i < N; ++i) bits |= std::uint64_t(lanes[i] & 1) << i;
    return vec<bool, N>::from_bits(bits);
  }
}

/// In each lane the bit of its number in as many bits as it has: of a list, since compilers leave long loops as they
/// are.
template <class I, std::size_t... Lane>
TANGRAM_INLINE typename native<I, sizeof...(Lane)>::type lane_bits(std::index_sequence<Lane...>) {
  return typename native<I, sizeof...(Lane)>::type{I(std::uint64_t(1) << Lane % (8 * sizeof(I)))...};
}
template <class V, std::size_t... Lane> TANGRAM_INLINE V eightfold(V v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (Lane / 16 * 16 + Lane / 8)...); // of the same half register
}
template <class I, int N> TANGRAM_INLINE typename native<I, N>::type from_mask(vec<bool, N> m) {
  typename native<I, N>::type all{};
  [[maybe_unused]] const auto bit = lane_bits<I>(std::make_index_sequence<N>());
  if constexpr (N <= int(8 * sizeof(I))) {
    all = all + I(m.value); // in each lane: element by element, compilers put it in one by one
    return (typename native<I, N>::type)((all & bit) == bit);
  } else if constexpr (sizeof(I) == 1 && N <= 32) { // each byte of the mask eight times
    using Words = typename native<std::uint32_t, N / 4>::type;
    all = (typename native<I, N>::type)(Words{} + std::uint32_t(m.value));
    all = eightfold(all, std::make_index_sequence<N>());
    return (typename native<I, N>::type)((all & bit) == bit);
  } else {
    for (int i = 0; i < N; ++i) all[i] = m[i] ? I(-1) : I(0);
    return all;
  }
}

template <Compare C, class V> TANGRAM_INLINE auto compare_lanes(V a, V b) {
  if constexpr (C == Compare::Eq)
    return a == b;
  else if constexpr (C == Compare::Lt)
    return a < b;
  else if constexpr (C == Compare::Le)
    return a <= b;
  else if constexpr (C == Compare::Ne)
    return a != b;
  else if constexpr (C == Compare::Ge)
    return a >= b;
  else
    return a > b;
}

#if defined(TANGRAM_VEC_AVX512)
template <class T> constexpr int predicate(Compare c) {
  constexpr int real[] = {_CMP_EQ_OQ, _CMP_LT_OS, _CMP_LE_OS, _CMP_NEQ_UQ, _CMP_GE_OS, _CMP_GT_OS};
  constexpr int whole[] = {_MM_CMPINT_EQ, _MM_CMPINT_LT, _MM_CMPINT_LE, _MM_CMPINT_NE, _MM_CMPINT_NLT, _MM_CMPINT_NLE};
  return std::is_floating_point_v<T> ? real[int(c)] : whole[int(c)];
}
#define TANGRAM_VEC_REGISTER(bits, cmp_prefix)                                                                         \
  template <Compare C, class T, class V> TANGRAM_INLINE auto compare##bits(V a, V b) {                                 \
    constexpr int p = predicate<T>(C);                                                                                 \
    using I = __m##bits##i;                                                                                            \
    if constexpr (std::is_same_v<T, float>) {                                                                          \
      return cmp_prefix##_cmp_ps_mask((__m##bits)a, (__m##bits)b, p);                                                  \
    } else if constexpr (std::is_same_v<T, double>) {                                                                  \
      return cmp_prefix##_cmp_pd_mask((__m##bits##d)a, (__m##bits##d)b, p);                                            \
    } else if constexpr (sizeof(T) == 1) {                                                                             \
      if constexpr (std::is_signed_v<T>)                                                                               \
        return cmp_prefix##_cmp_epi8_mask((I)a, (I)b, p);                                                              \
      else                                                                                                             \
        return cmp_prefix##_cmp_epu8_mask((I)a, (I)b, p);                                                              \
    } else if constexpr (sizeof(T) == 2) {                                                                             \
      if constexpr (std::is_signed_v<T>)                                                                               \
        return cmp_prefix##_cmp_epi16_mask((I)a, (I)b, p);                                                             \
      else                                                                                                             \
        return cmp_prefix##_cmp_epu16_mask((I)a, (I)b, p);                                                             \
    } else if constexpr (sizeof(T) == 4) {                                                                             \
      if constexpr (std::is_signed_v<T>)                                                                               \
        return cmp_prefix##_cmp_epi32_mask((I)a, (I)b, p);                                                             \
      else                                                                                                             \
        return cmp_prefix##_cmp_epu32_mask((I)a, (I)b, p);                                                             \
    } else {                                                                                                           \
      if constexpr (std::is_signed_v<T>)                                                                               \
        return cmp_prefix##_cmp_epi64_mask((I)a, (I)b, p);                                                             \
      else                                                                                                             \
        return cmp_prefix##_cmp_epu64_mask((I)a, (I)b, p);                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
  template <class V, int N> TANGRAM_INLINE V blend##bits(vec<bool, N> m, V a, V b) {                                   \
    using I = __m##bits##i;                                                                                            \
    constexpr std::size_t element = sizeof(V) / N;                                                                     \
    if constexpr (element == 1)                                                                                        \
      return (V)cmp_prefix##_mask_blend_epi8(m.value, (I)b, (I)a);                                                     \
    else if constexpr (element == 2)                                                                                   \
      return (V)cmp_prefix##_mask_blend_epi16(m.value, (I)b, (I)a);                                                    \
    else if constexpr (element == 4)                                                                                   \
      return (V)cmp_prefix##_mask_blend_epi32(m.value, (I)b, (I)a);                                                    \
    else                                                                                                               \
      return (V)cmp_prefix##_mask_blend_epi64(m.value, (I)b, (I)a);                                                    \
  }
TANGRAM_VEC_REGISTER(512, _mm512)
TANGRAM_VEC_REGISTER(256, _mm256)
TANGRAM_VEC_REGISTER(128, _mm)
#undef TANGRAM_VEC_REGISTER
#endif

template <Compare C, class T, int N, class V> TANGRAM_INLINE vec<bool, N> compare_register(V a, V b) {
#if defined(TANGRAM_VEC_AVX512)
  if constexpr (sizeof(V) == 64) return vec<bool, N>::of(compare512<C, T>(a, b));
  if constexpr (sizeof(V) == 32) return vec<bool, N>::of(compare256<C, T>(a, b));
  if constexpr (sizeof(V) == 16) return vec<bool, N>::of(compare128<C, T>(a, b));
#endif
  return to_mask<N>(compare_lanes<C>(a, b));
}

template <class T, int N, class V> TANGRAM_INLINE V select_register(vec<bool, N> m, V a, V b) {
#if defined(TANGRAM_VEC_AVX512)
  if constexpr (sizeof(V) == 64) return blend512(m, a, b);
  if constexpr (sizeof(V) == 32) return blend256(m, a, b);
  if constexpr (sizeof(V) == 16) return blend128(m, a, b);
#endif
  using I = uint_of<sizeof(T)>;
  using W = typename native<I, N>::type;
  W lanes = from_mask<I, N>(m);
  return (V)(((W)a & lanes) | ((W)b & ~lanes));
}

template <class V, class H, std::size_t... I> TANGRAM_INLINE H part(V v, std::size_t, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, I...);
}
template <class V, class H, std::size_t... I> TANGRAM_INLINE H part_high(V v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, (I + sizeof...(I))...);
}
template <class V, class H, std::size_t... I> TANGRAM_INLINE V concat(H lo, H hi, std::index_sequence<I...>) {
  return __builtin_shufflevector(lo, hi, I...);
}

} // namespace vec_detail

template <class T, int N> struct vec : vec_detail::storage<T, N> {
  static_assert(std::is_arithmetic_v<T>, "a vector holds numbers");
  static_assert(N > 0 && (N & (N - 1)) == 0, "the number of lanes is a power of two");
  using element = T;
  using half = vec<T, N / 2>;
  static constexpr int size = N;
  static constexpr bool whole = vec_detail::fits<T, N>;

  vec() = default;
  /// The same in every lane.
  TANGRAM_INLINE vec(T x) {
    if constexpr (whole) {
      if constexpr (N == 1)
        this->r[0] = x;
      else
        this->r = x - typename vec_detail::native<T, N>::type{}; // -0.0 stays -0.0
    } else {
      this->lo = half(x);
      this->hi = half(x);
    }
  }
  static TANGRAM_INLINE vec join(half low, half high) {
    vec v;
    if constexpr (whole) {
      if constexpr (N == 2) {
        v.r[0] = low.r[0];
        v.r[1] = high.r[0];
      } else {
        v.r = vec_detail::concat<decltype(v.r)>(low.r, high.r, std::make_index_sequence<N>{});
      }
    } else {
      v.lo = low;
      v.hi = high;
    }
    return v;
  }
  TANGRAM_INLINE half low() const {
    if constexpr (!whole) {
      return this->lo;
    } else {
      half h;
      if constexpr (N == 2)
        h.r[0] = this->r[0];
      else
        h.r = vec_detail::part<decltype(this->r), decltype(h.r)>(this->r, 0, std::make_index_sequence<N / 2>{});
      return h;
    }
  }
  TANGRAM_INLINE half high() const {
    if constexpr (!whole) {
      return this->hi;
    } else {
      half h;
      if constexpr (N == 2)
        h.r[0] = this->r[1];
      else
        h.r = vec_detail::part_high<decltype(this->r), decltype(h.r)>(this->r, std::make_index_sequence<N / 2>{});
      return h;
    }
  }
  TANGRAM_INLINE T operator[](std::size_t lane) const {
    if constexpr (whole)
      return this->r[lane];
    else
      return lane < N / 2 ? this->lo[lane] : this->hi[lane - N / 2];
  }
  TANGRAM_INLINE void set(std::size_t lane, T x) {
    if constexpr (whole)
      this->r[lane] = x;
    else if (lane < N / 2)
      this->lo.set(lane, x);
    else
      this->hi.set(lane - N / 2, x);
  }

// Signed integers wrap in lanes that a mask leaves out, so all integers are added as unsigned ones.
#define TANGRAM_VEC_WRAPPING(op)                                                                                       \
  friend TANGRAM_INLINE vec operator op(const vec &a, const vec &b) {                                                  \
    vec v;                                                                                                             \
    if constexpr (whole) {                                                                                             \
      using W = typename vec_detail::native<vec_detail::wrapping<T>, N>::type;                                         \
      v.r = (decltype(v.r))((W)a.r op(W) b.r);                                                                         \
    } else {                                                                                                           \
      v.lo = a.lo op b.lo;                                                                                             \
      v.hi = a.hi op b.hi;                                                                                             \
    }                                                                                                                  \
    return v;                                                                                                          \
  }                                                                                                                    \
  TANGRAM_INLINE vec &operator op##=(const vec & b) { return *this = *this op b; }
#define TANGRAM_VEC_PLAIN(op)                                                                                          \
  friend TANGRAM_INLINE vec operator op(const vec &a, const vec &b) {                                                  \
    vec v;                                                                                                             \
    if constexpr (whole) {                                                                                             \
      v.r = a.r op b.r;                                                                                                \
    } else {                                                                                                           \
      v.lo = a.lo op b.lo;                                                                                             \
      v.hi = a.hi op b.hi;                                                                                             \
    }                                                                                                                  \
    return v;                                                                                                          \
  }                                                                                                                    \
  TANGRAM_INLINE vec &operator op##=(const vec & b) { return *this = *this op b; }
  TANGRAM_VEC_WRAPPING(+)
  TANGRAM_VEC_WRAPPING(-)
  TANGRAM_VEC_WRAPPING(*)
  TANGRAM_VEC_PLAIN(&)
  TANGRAM_VEC_PLAIN(|)
  TANGRAM_VEC_PLAIN(^)
  TANGRAM_VEC_PLAIN(<<)
  TANGRAM_VEC_PLAIN(>>)
#undef TANGRAM_VEC_WRAPPING
#undef TANGRAM_VEC_PLAIN

  friend TANGRAM_INLINE vec operator/(const vec &a, const vec &b) {
    vec v;
    if constexpr (!whole) {
      v.lo = a.lo / b.lo;
      v.hi = a.hi / b.hi;
#if defined(TANGRAM_VEC_AVX512)
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4 && N > 1) {
      // Exact: the quotient of two such numbers is farther from the next whole number than double rounds.
      v = convert<T>(convert<double>(a) / convert<double>(b));
#endif
    } else {
      v.r = a.r / b.r;
    }
    return v;
  }
  friend TANGRAM_INLINE vec operator%(const vec &a, const vec &b) {
    vec v;
    if constexpr (!whole) {
      v.lo = a.lo % b.lo;
      v.hi = a.hi % b.hi;
#if defined(TANGRAM_VEC_AVX512)
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4 && N > 1) {
      v = a - a / b * b;
#endif
    } else {
      v.r = a.r % b.r;
    }
    return v;
  }
  /// By one number for all lanes: often a power of two, also where only the run shows it, and a shift is ten times
  /// faster.
  friend TANGRAM_INLINE vec operator/(const vec &a, T b) {
    if constexpr (vec_detail::shifts<T>)
      if ((b & (b - 1)) == 0 && b != 0) return a >> vec(T(__builtin_ctzll(b)));
    return a / vec(b);
  }
  friend TANGRAM_INLINE vec operator%(const vec &a, T b) {
    if constexpr (vec_detail::shifts<T>)
      if ((b & (b - 1)) == 0 && b != 0) return a & vec(T(b - 1));
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4 && N > 1) {
      // Of an index that comes round at the end of a row, most are less than the divisor, or less than twice as much.
      const vec over = a - vec(b);
      const vec<bool, N> less = a < vec(b);
      if (all((a >= vec(T(0))) & (less | (over < vec(b))))) return select(less, a, over);
    }
    return a % vec(b);
  }
  TANGRAM_INLINE vec &operator/=(const vec &b) { return *this = *this / b; }
  TANGRAM_INLINE vec &operator%=(const vec &b) { return *this = *this % b; }

#define TANGRAM_VEC_COMPARE(op, name)                                                                                  \
  friend TANGRAM_INLINE vec<bool, N> operator op(const vec & a, const vec & b) {                                       \
    if constexpr (whole)                                                                                               \
      return vec_detail::compare_register<vec_detail::Compare::name, T, N>(a.r, b.r);                                  \
    else                                                                                                               \
      return vec<bool, N>::join(a.lo op b.lo, a.hi op b.hi);                                                           \
  }
  TANGRAM_VEC_COMPARE(==, Eq)
  TANGRAM_VEC_COMPARE(<, Lt)
  TANGRAM_VEC_COMPARE(<=, Le)
  TANGRAM_VEC_COMPARE(!=, Ne)
  TANGRAM_VEC_COMPARE(>=, Ge)
  TANGRAM_VEC_COMPARE(>, Gt)
#undef TANGRAM_VEC_COMPARE

  friend TANGRAM_INLINE vec operator+(const vec &a) { return a; }
  friend TANGRAM_INLINE vec operator-(const vec &a) {
    vec v;
    if constexpr (whole) {
      using W = typename vec_detail::native<vec_detail::wrapping<T>, N>::type;
      v.r = (decltype(v.r))(-(W)a.r);
    } else {
      v.lo = -a.lo;
      v.hi = -a.hi;
    }
    return v;
  }
  friend TANGRAM_INLINE vec operator~(const vec &a) { return a ^ vec(T(-1)); }
  friend TANGRAM_INLINE vec<bool, N> operator!(const vec &a) { return a == vec(T(0)); }
};

/// m ? a : b, lane by lane.
template <class T, int N, class = std::enable_if_t<!std::is_same_v<T, bool>>>
TANGRAM_INLINE vec<T, N> select(vec<bool, N> m, const vec<T, N> &a, const std::common_type_t<vec<T, N>> &b) {
  if constexpr (vec<T, N>::whole) {
    vec<T, N> v;
    v.r = vec_detail::select_register<T, N>(m, a.r, b.r);
    return v;
  } else {
    return vec<T, N>::join(select(m.low(), a.lo, b.lo), select(m.high(), a.hi, b.hi));
  }
}

/// 0, 1, 2, ...
template <class T, int N> TANGRAM_INLINE vec<T, N> lane_index(T first = 0) {
  vec<T, N> v;
  if constexpr (vec<T, N>::whole) {
    for (int i = 0; i < N; ++i) v.r[i] = T(i);
    if (first != 0) v += vec<T, N>(first);
  } else {
    v.lo = lane_index<T, N / 2>(first);
    v.hi = lane_index<T, N / 2>(T(first + N / 2));
  }
  return v;
}

/// Each lane converted as C++ does.
template <class U, class T, int N> TANGRAM_INLINE vec<U, N> convert(const vec<T, N> &a) {
  if constexpr (std::is_same_v<U, T>) {
    return a;
  } else if constexpr (std::is_same_v<U, bool>) {
    return a != vec<T, N>(T(0));
  } else if constexpr (std::is_same_v<T, bool>) {
    return select(a, vec<U, N>(U(1)), vec<U, N>(U(0)));
  } else if constexpr (std::is_floating_point_v<U> && std::is_integral_v<T> && sizeof(T) < sizeof(std::int32_t)) {
    return convert<U>(convert<std::int32_t>(a));
  } else if constexpr (std::is_integral_v<U> && sizeof(U) < sizeof(std::int32_t) && std::is_floating_point_v<T>) {
    return convert<U>(convert<std::int32_t>(a));
  } else if constexpr (vec<T, N>::whole && vec<U, N>::whole) {
    vec<U, N> v;
    if constexpr (std::is_integral_v<U> && std::is_integral_v<T> && vec_detail::resizes<sizeof(T), sizeof(U), N>())
      v.r = vec_detail::resized<decltype(v.r), sizeof(T), sizeof(U), std::is_signed_v<T>>(a.r);
    else
      v.r = __builtin_convertvector(a.r, decltype(v.r));
    return v;
  } else {
    return vec<U, N>::join(convert<U>(a.low()), convert<U>(a.high()));
  }
}

template <class T, int N> TANGRAM_INLINE vec<T, N> min(const vec<T, N> &a, const std::common_type_t<vec<T, N>> &b) {
#if !defined(TANGRAM_VEC_AVX512) // there a mask is a register of its own, here a way around
  if constexpr (vec<T, N>::whole) {
    vec<T, N> v;
    v.r = b.r < a.r ? b.r : a.r;
    return v;
  }
#endif
  return select(b < a, b, a);
}
template <class T, int N> TANGRAM_INLINE vec<T, N> max(const vec<T, N> &a, const std::common_type_t<vec<T, N>> &b) {
#if !defined(TANGRAM_VEC_AVX512)
  if constexpr (vec<T, N>::whole) {
    vec<T, N> v;
    v.r = a.r < b.r ? b.r : a.r;
    return v;
  }
#endif
  return select(a < b, b, a);
}

/// Each lane gets what another one has; numbers of lanes count modulo N.
template <class T, int N, class I, class = std::enable_if_t<std::is_unsigned_v<I>>>
TANGRAM_INLINE vec<T, N> shuffle(const vec<T, N> &v, const vec<I, N> &lanes) {
  if constexpr (!vec<T, N>::whole) {
    auto half = [&](const vec<I, N / 2> &from) {
      return select((from & vec<I, N / 2>(N / 2)) == vec<I, N / 2>(0), shuffle(v.lo, from), shuffle(v.hi, from));
    };
    return vec<T, N>::join(half(lanes.low()), half(lanes.high()));
  } else {
    vec<T, N> result(T(0));
#if __has_builtin(__builtin_shuffle)
    if constexpr (N > 1) {
      result.r = __builtin_shuffle(v.r, convert<vec_detail::uint_of<sizeof(T)>>(lanes).r);
      return result;
    }
#endif
    for (int i = 0; i < N; ++i) result.set(std::size_t(i), v[std::size_t(lanes[std::size_t(i)]) % N]);
    return result;
  }
}

/// One value from the lanes, pairwise: halves are combined until one lane is left.
template <class T, int N> TANGRAM_INLINE T reduce_add(const vec<T, N> &v) {
  if constexpr (N == 1)
    return v[0];
  else
    return reduce_add(v.low() + v.high());
}
template <class T, int N> TANGRAM_INLINE T reduce_min(const vec<T, N> &v) {
  if constexpr (N == 1)
    return v[0];
  else
    return reduce_min(min(v.low(), v.high()));
}
template <class T, int N> TANGRAM_INLINE T reduce_max(const vec<T, N> &v) {
  if constexpr (N == 1)
    return v[0];
  else
    return reduce_max(max(v.low(), v.high()));
}

} // namespace tangram
#endif
