// Loads and stores of vectors. Pointers need the alignment of an element only; lanes that a mask leaves out touch no
// memory.
#ifndef TANGRAM_RUNTIME_VEC_MEMORY_H
#define TANGRAM_RUNTIME_VEC_MEMORY_H

#include "tangram/runtime/vec/vector.h"

namespace tangram {

// Lanes beyond an array are masked out; compilers that see the array, and not the mask, warn of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"

namespace vec_detail {
#if defined(TANGRAM_VEC_AVX512)
template <class T, int N> TANGRAM_INLINE typename native<T, N>::type load_masked(const T *p, vec<bool, N> m) {
  using V = typename native<T, N>::type;
#define TANGRAM_VEC_LOAD(bits, prefix)                                                                                 \
  if constexpr (sizeof(V) == bits / 8) {                                                                               \
    if constexpr (sizeof(T) == 1) return (V)prefix##_maskz_loadu_epi8(m.value, p);                                     \
    if constexpr (sizeof(T) == 2) return (V)prefix##_maskz_loadu_epi16(m.value, p);                                    \
    if constexpr (sizeof(T) == 4) return (V)prefix##_maskz_loadu_epi32(m.value, p);                                    \
    if constexpr (sizeof(T) == 8) return (V)prefix##_maskz_loadu_epi64(m.value, p);                                    \
  }
  TANGRAM_VEC_LOAD(512, _mm512)
  TANGRAM_VEC_LOAD(256, _mm256)
  TANGRAM_VEC_LOAD(128, _mm)
#undef TANGRAM_VEC_LOAD
}
template <class T, int N, class V> TANGRAM_INLINE void store_masked(T *p, V v, vec<bool, N> m) {
#define TANGRAM_VEC_STORE(bits, prefix)                                                                                \
  if constexpr (sizeof(V) == bits / 8) {                                                                               \
    if constexpr (sizeof(T) == 1) prefix##_mask_storeu_epi8(p, m.value, (__m##bits##i)v);                              \
    if constexpr (sizeof(T) == 2) prefix##_mask_storeu_epi16(p, m.value, (__m##bits##i)v);                             \
    if constexpr (sizeof(T) == 4) prefix##_mask_storeu_epi32(p, m.value, (__m##bits##i)v);                             \
    if constexpr (sizeof(T) == 8) prefix##_mask_storeu_epi64(p, m.value, (__m##bits##i)v);                             \
  }
  TANGRAM_VEC_STORE(512, _mm512)
  TANGRAM_VEC_STORE(256, _mm256)
  TANGRAM_VEC_STORE(128, _mm)
#undef TANGRAM_VEC_STORE
}
template <class T, int N>
inline constexpr bool has_masked = sizeof(T) * N == 16 || sizeof(T) * N == 32 || sizeof(T) * N == 64;
/// A gather of 8 lanes fills one register of 4- or 8-byte elements.
template <class T, int N> inline constexpr bool has_gather = N == 8 && (sizeof(T) == 4 || sizeof(T) == 8);
/// Of 16 lanes with 32-bit indices, too.
template <class T, class I, int N>
inline constexpr bool has_near_gather = N == 16 && sizeof(T) == 4 && sizeof(I) == 4 && !std::is_same_v<T, bool>;
#else
#if defined(__AVX2__)
template <class T, int N>
inline constexpr bool has_masked_load =
    (sizeof(T) == 4 || sizeof(T) == 8) && (sizeof(T) * N == 16 || sizeof(T) * N == 32);
template <class T, int N> TANGRAM_INLINE typename native<T, N>::type load_masked(const T *p, vec<bool, N> m) {
  using V = typename native<T, N>::type;
  const auto lanes = from_mask<uint_of<sizeof(T)>, N>(m);
  if constexpr (sizeof(V) == 32 && sizeof(T) == 4) return (V)_mm256_maskload_epi32((const int *)p, (__m256i)lanes);
  if constexpr (sizeof(V) == 32 && sizeof(T) == 8)
    return (V)_mm256_maskload_epi64((const long long *)p, (__m256i)lanes);
  if constexpr (sizeof(V) == 16 && sizeof(T) == 4) return (V)_mm_maskload_epi32((const int *)p, (__m128i)lanes);
  if constexpr (sizeof(V) == 16 && sizeof(T) == 8) return (V)_mm_maskload_epi64((const long long *)p, (__m128i)lanes);
}
#endif
template <class T, int N> inline constexpr bool has_masked = false;
template <class T, int N> inline constexpr bool has_gather = false;
template <class T, class I, int N> inline constexpr bool has_near_gather = false;
#endif
/// Of elements and indices of 32 bits in a register each it is asked first whether lanes, so many in a row, have
/// neighbouring elements: moving these together takes a fraction of the time.
template <class T, class I, int N>
inline constexpr bool asks_for_rows =
    sizeof(T) == 4 && sizeof(I) == 4 && !std::is_same_v<T, bool> && N >= 4 && vec<I, N>::whole;
/// ... and of shorter elements, which processors take one by one, whether all lanes do.
template <class T, class I, int N>
inline constexpr bool asks_for_row = sizeof(T) < 4 && sizeof(I) >= 4 && !std::is_same_v<T, bool> && N >= 8;
template <class I, int N> TANGRAM_INLINE bool in_row(const vec<I, N> &index) {
  return all(index == vec<I, N>(index[0]) + lane_index<I, N>());
}
template <int Row, class V, std::size_t... Lane> TANGRAM_INLINE V first_of_row(V v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (Lane / Row * Row)...);
}
/// Whether that is so of each row of lanes, as in the steps of a network of exchanges.
template <int Row, class I, int N> TANGRAM_INLINE bool in_rows(const vec<I, N> &index) {
  vec<I, N> first = index - lane_index<I, N>(), same;
  same.r = first_of_row<Row>(first.r, std::make_index_sequence<N>());
  return all(first == same);
}
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TANGRAM_VEC_ADDRESS_SANITIZER 1
#endif
#endif
/// Where one element of a page may be read, all of it can be: what lies around is loaded with it, and dropped.
TANGRAM_INLINE bool in_one_page([[maybe_unused]] const void *p, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(TANGRAM_VEC_ADDRESS_SANITIZER) || !defined(__linux__)
  return false;
#else
  constexpr std::uintptr_t kPage = 4096; // or a multiple of it
  return (reinterpret_cast<std::uintptr_t>(p) & (kPage - 1)) <= kPage - bytes;
#endif
}
/// Of a pointer of which the compiler does not know what it points into.
template <int N, class T> TANGRAM_INLINE vec<T, N> load_whole(const T *p) {
  asm("" : "+r"(p));
  vec<T, N> v;
  std::memcpy(&v.r, p, sizeof v.r);
  return v;
}
} // namespace vec_detail

template <int N, class T> TANGRAM_INLINE vec<T, N> load(const T *p) {
  vec<T, N> v;
  if constexpr (std::is_same_v<T, bool>) {
    v = load<N>(reinterpret_cast<const std::uint8_t *>(p)) != vec<std::uint8_t, N>(0);
  } else if constexpr (vec<T, N>::whole) {
    std::memcpy(&v.r, p, sizeof v.r);
  } else {
    v.lo = load<N / 2>(p);
    v.hi = load<N / 2>(p + N / 2);
  }
  return v;
}

/// 0 where `m` leaves a lane out.
template <int N, class T> TANGRAM_INLINE vec<T, N> load(const T *p, vec<bool, N> m) {
  if constexpr (std::is_same_v<T, bool>) {
    return load<N>(reinterpret_cast<const std::uint8_t *>(p), m) != vec<std::uint8_t, N>(0);
  } else if constexpr (!vec<T, N>::whole) {
    return vec<T, N>::join(load<N / 2>(p, m.low()), load<N / 2>(p + N / 2, m.high()));
  } else {
    vec<T, N> v;
#if defined(TANGRAM_VEC_AVX512)
    if constexpr (vec_detail::has_masked<T, N>) {
      v.r = vec_detail::load_masked<T, N>(p, m);
      return v;
    }
#elif defined(__AVX2__) // stores of this kind are slower than branches on some processors
    if constexpr (vec_detail::has_masked_load<T, N>) {
      v.r = vec_detail::load_masked<T, N>(p, m);
      return v;
    }
#endif
    v = vec<T, N>(T(0));
    if (!any(m)) return v;
    if (vec_detail::in_one_page(p, sizeof v.r)) return select(m, vec_detail::load_whole<N>(p), v);
    for (int i = 0; i < N; ++i)
      if (m[i]) v.r[i] = p[i];
    return v;
  }
}

template <class T, int N> TANGRAM_INLINE void store(T *p, const vec<T, N> &v) {
  if constexpr (std::is_same_v<T, bool>) {
    for (int i = 0; i < N; ++i) p[i] = v[i];
  } else if constexpr (vec<T, N>::whole) {
    std::memcpy(p, &v.r, sizeof v.r);
  } else {
    store(p, v.lo);
    store(p + N / 2, v.hi);
  }
}

template <class T, int N> TANGRAM_INLINE void store(T *p, const vec<T, N> &v, vec<bool, N> m) {
  if constexpr (std::is_same_v<T, bool>) {
    for (int i = 0; i < N; ++i)
      if (m[i]) p[i] = v[i];
  } else if constexpr (!vec<T, N>::whole) {
    store(p, v.lo, m.low());
    store(p + N / 2, v.hi, m.high());
  } else {
#if defined(TANGRAM_VEC_AVX512)
    if constexpr (vec_detail::has_masked<T, N>) {
      vec_detail::store_masked<T, N>(p, v.r, m);
      return;
    }
#endif
    for (int i = 0; i < N; ++i)
      if (m[i]) p[i] = v.r[i];
  }
}

/// p[index] a lane; 0 where `m` leaves a lane out. Indices of 32 bits are less than 2^31.
template <class T, class I, int N> TANGRAM_INLINE vec<T, N> gather(const T *p, const vec<I, N> &index, vec<bool, N> m) {
#if defined(TANGRAM_VEC_AVX512)
  if constexpr (vec_detail::has_near_gather<T, I, N>) {
    vec<T, N> v;
    v.r = (decltype(v.r))_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m.value, (__m512i)index.r, p, 4);
    return v;
  } else if constexpr (vec_detail::has_gather<T, N> && !std::is_same_v<T, bool>) {
    __m512i at = (__m512i)convert<std::uint64_t>(index).r;
    vec<T, N> v;
    if constexpr (sizeof(T) == 4)
      v.r = (decltype(v.r))_mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m.value, at, p, 4);
    else
      v.r = (decltype(v.r))_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m.value, at, p, 8);
    return v;
  } else
#endif
      if constexpr (N > 8 || !vec<T, N>::whole) {
    return vec<T, N>::join(gather(p, index.low(), m.low()), gather(p, index.high(), m.high()));
  } else if constexpr (std::is_same_v<T, bool>) {
    std::uint64_t bits = 0;
    for (int i = 0; i < N; ++i)
      if (m[i]) bits |= std::uint64_t(p[index[i]]) << i;
    return vec<bool, N>::from_bits(bits);
  } else {
    vec<T, N> v = vec<T, N>(T(0));
    for (int i = 0; i < N; ++i)
      if (m[i]) v.set(i, p[index[i]]);
    return v;
  }
}
namespace vec_detail {
template <int Row, class T, class I, int N> TANGRAM_INLINE vec<T, N> load_rows(const T *p, const vec<I, N> &index) {
  if constexpr (Row == N)
    return load<N>(p + index[0]);
  else
    return vec<T, N>::join(load_rows<Row>(p, index.low()), load_rows<Row>(p, index.high()));
}
template <int Row, class T, class I, int N>
TANGRAM_INLINE void store_rows(T *p, const vec<I, N> &index, const vec<T, N> &v) {
  if constexpr (Row == N) {
    store(p + index[0], v);
  } else {
    store_rows<Row>(p, index.low(), v.low());
    store_rows<Row>(p, index.high(), v.high());
  }
}
} // namespace vec_detail

template <class T, class I, int N> TANGRAM_INLINE vec<T, N> gather(const T *p, const vec<I, N> &index) {
  if constexpr (vec_detail::asks_for_row<T, I, N>) {
    if (vec_detail::in_row(index)) return load<N>(p + index[0]);
    if constexpr (N > 8) {
      const vec<bool, N / 2> half(true);
      return vec<T, N>::join(gather(p, index.low(), half), gather(p, index.high(), half));
    }
  } else if constexpr (vec_detail::asks_for_rows<T, I, N>) {
    if (vec_detail::in_rows<N>(index)) return load<N>(p + index[0]);
    if constexpr (N > 4)
      if (vec_detail::in_rows<4>(index)) return vec_detail::load_rows<4>(p, index);
  } else if constexpr (!vec<I, N>::whole && N > 8) {
    return vec<T, N>::join(gather(p, index.low()), gather(p, index.high()));
  }
  return gather(p, index, vec<bool, N>(true));
}

/// p[index] = v a lane, lower lanes first: where two write one element the higher lane's value stays.
template <class T, class I, int N>
TANGRAM_INLINE void scatter(T *p, const vec<I, N> &index, const vec<T, N> &v, vec<bool, N> m) {
#if defined(TANGRAM_VEC_AVX512)
  if constexpr (vec_detail::has_near_gather<T, I, N>) {
    _mm512_mask_i32scatter_epi32(p, m.value, (__m512i)index.r, (__m512i)v.r, 4);
  } else if constexpr (vec_detail::has_gather<T, N> && !std::is_same_v<T, bool>) {
    __m512i at = (__m512i)convert<std::uint64_t>(index).r;
    if constexpr (sizeof(T) == 4)
      _mm512_mask_i64scatter_epi32(p, m.value, at, (__m256i)v.r, 4);
    else
      _mm512_mask_i64scatter_epi64(p, m.value, at, (__m512i)v.r, 8);
  } else
#endif
      if constexpr (N > 8) {
    scatter(p, index.low(), v.low(), m.low());
    scatter(p, index.high(), v.high(), m.high());
  } else {
    for (int i = 0; i < N; ++i)
      if (m[i]) p[index[i]] = v[i];
  }
}
template <class T, class I, int N> TANGRAM_INLINE void scatter(T *p, const vec<I, N> &index, const vec<T, N> &v) {
  if constexpr (vec_detail::asks_for_row<T, I, N>) {
    if (vec_detail::in_row(index)) return store(p + index[0], v);
  } else if constexpr (vec_detail::asks_for_rows<T, I, N>) {
    if (vec_detail::in_rows<N>(index)) return store(p + index[0], v);
    if constexpr (N > 4)
      if (vec_detail::in_rows<4>(index)) return vec_detail::store_rows<4>(p, index, v);
  } else if constexpr (!vec<I, N>::whole && N > 8) {
    scatter(p, index.low(), v.low());
    return scatter(p, index.high(), v.high());
  }
  scatter(p, index, v, vec<bool, N>(true));
}

#pragma GCC diagnostic pop

} // namespace tangram
#endif
