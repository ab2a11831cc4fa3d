// Loads and stores of elements that are as far apart from lane to lane: fields of structs, colours of pixels, columns.
#ifndef TANGRAM_RUNTIME_VEC_STRIDED_H
#define TANGRAM_RUNTIME_VEC_STRIDED_H

#include "tangram/runtime/vec/memory.h"

namespace tangram {

// As in memory.h.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"

namespace vec_detail {
template <class T, class D, std::size_t... Lane>
TANGRAM_INLINE typename native<T, sizeof...(Lane)>::type elements_apart(const T *p, D step,
                                                                        std::index_sequence<Lane...>) {
  return typename native<T, sizeof...(Lane)>::type{p[D(Lane) * step]...};
}
#if defined(__AVX2__)
/// Elements side by side of which every `Step`th is wanted are loaded and shuffled, where these few are: `Lanes` of a
/// register with sizeof...(Lane), from p[0] to p[(Lanes - 1) * Step] and nothing beyond.
template <class T, int Step, int Lanes>
inline constexpr bool shuffles_apart =
    Step >= 2 && Step <= 4 && Lanes >= 4 && (Lanes - 1) * Step + 1 >= int(16 / sizeof(T));
template <int Lanes, int Step, std::size_t Load, class T, class V, std::size_t... Lane>
TANGRAM_INLINE V shuffled_apart(const T *p, V before, std::index_sequence<Lane...> lanes) {
  constexpr std::size_t n = sizeof...(Lane), span = (Lanes - 1) * Step + 1;
  if constexpr (Load * n >= span) {
    return before;
  } else {
    constexpr std::size_t at = Load * n < span - n ? Load * n : span - n;
    const V loaded = load<int(n)>(p + at).r;
    const V after = __builtin_shufflevector(
        before, loaded, (Lane < std::size_t(Lanes) && Lane * Step / n == Load ? n + Lane * Step - at : Lane)...);
    return shuffled_apart<Lanes, Step, Load + 1>(p, after, lanes);
  }
}
template <int N, int Step, class T> TANGRAM_INLINE vec<T, N> load_shuffled(const T *p) {
  constexpr int n = 16 / int(sizeof(T)) > N ? 16 / int(sizeof(T)) : N;
  if constexpr (sizeof(T) < 4 && sizeof(T) * N > 16) { // what goes across halves of a register, goes by 4 bytes
    return vec<T, N>::join(load_shuffled<N / 2, Step>(p), load_shuffled<N / 2, Step>(p + N / 2 * Step));
  } else {
    vec<T, n> v = load<n>(p);
    v.r = shuffled_apart<N, Step, 0>(p, v.r, std::make_index_sequence<n>());
    if constexpr (n == N)
      return v;
    else if constexpr (n == 2 * N)
      return v.low();
    else
      return v.low().low();
  }
}
/// All there is of as many structs of `Step` elements as a register has, of which lanes get one field: with its
/// neighbours that are loaded, too, a few shuffles each.
template <int Step, int Field, class T, std::size_t... Lane>
TANGRAM_INLINE auto field_of(const T *structs, std::index_sequence<Lane...>) {
  constexpr std::size_t n = sizeof...(Lane), half = n / 2;
  const auto all = [&](std::size_t at) { return load<int(n)>(structs + at).r; };
  if constexpr (Step == 2) {
    return __builtin_shufflevector(all(0), all(n), (Lane * 2 + Field)...);
  } else if constexpr (Step == 3) {
    const auto some = __builtin_shufflevector(all(0), all(n), (Lane * 3 + Field < 2 * n ? Lane * 3 + Field : Lane)...);
    return __builtin_shufflevector(some, all(2 * n), (Lane * 3 + Field < 2 * n ? Lane : Lane * 3 + Field - n)...);
  } else {
    // A struct in each half of 16 or 32 bytes; shuffles within halves are quick.
    const auto halves = [&](std::size_t at) {
      return vec<T, int(n)>::join(load<int(half)>(structs + at), load<int(half)>(structs + at + 4 * half)).r;
    };
    if constexpr (n == 8) {
      constexpr std::size_t first = Field / 2 * 2; // of two fields that go together
      const auto two = [&](std::size_t at) {
        return __builtin_shufflevector(halves(at), halves(at + 4),
                                       (Lane / 4 * 4 + first + Lane % 4 / 2 + Lane % 2 * n)...);
      };
      return __builtin_shufflevector(two(0), two(8), (Lane / 4 * 4 + Field % 2 * 2 + Lane % 2 + Lane % 4 / 2 * n)...);
    } else {
      const auto low = __builtin_shufflevector(all(0), all(4), (Lane % half * 4 + Field)...);
      const auto high = __builtin_shufflevector(all(8), all(12), (Lane % half * 4 + Field)...);
      return __builtin_shufflevector(low, high, (Lane < half ? Lane : n + Lane - half)...);
    }
  }
}
template <class T, int Step>
inline constexpr bool has_fields = (sizeof(T) == 4 || sizeof(T) == 8) && Step >= 2 && Step <= 4;
#else
template <class T, int Step> inline constexpr bool has_fields = false;
#endif
} // namespace vec_detail

/// p[0], p[Step], p[2 * Step], ...
template <int N, int Step, class T> TANGRAM_INLINE vec<T, N> load_apart(const T *p) {
  if constexpr (!vec<T, N>::whole) {
    return vec<T, N>::join(load_apart<N / 2, Step>(p), load_apart<N / 2, Step>(p + N / 2 * Step));
  } else {
#if defined(__AVX2__)
    if constexpr (vec_detail::shuffles_apart<T, Step, N>) return vec_detail::load_shuffled<N, Step>(p);
#endif
#if defined(TANGRAM_VEC_AVX512)
    return gather(p, lane_index<std::uint32_t, N>() * std::uint32_t(Step), vec<bool, N>(true));
#else
    vec<T, N> v;
    v.r = vec_detail::elements_apart(p, Step, std::make_index_sequence<N>());
    return v;
#endif
  }
}
template <int N, int Step, class T> TANGRAM_INLINE vec<T, N> load_apart(const T *p, vec<bool, N> m) {
  if (all(m)) return load_apart<N, Step>(p);
  return gather(p, lane_index<std::uint32_t, N>() * std::uint32_t(Step), m);
}
template <int Step, class T, int N> TANGRAM_INLINE void store_apart(T *p, const vec<T, N> &v) {
  for (int i = 0; i < N; ++i) p[std::size_t(i) * Step] = v[std::size_t(i)];
}
template <int Step, class T, int N> TANGRAM_INLINE void store_apart(T *p, const vec<T, N> &v, vec<bool, N> m) {
  scatter(p, lane_index<std::uint32_t, N>() * std::uint32_t(Step), v, m);
}

namespace vec_detail {
template <int Each, class V, std::size_t... Lane>
TANGRAM_INLINE auto repeated(const V &few, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(few, few, (Lane / Each)...);
}
} // namespace vec_detail

/// p[0], Each times, p[1], as often, ...: `Each` divides N.
template <int N, int Each, class T> TANGRAM_INLINE vec<T, N> load_repeated(const T *p) {
  constexpr std::size_t bytes = N / Each * sizeof(T);
  if constexpr (Each == N) {
    return vec<T, N>(*p);
  } else if constexpr (!vec<T, N>::whole) {
    return vec<T, N>::join(load_repeated<N / 2, Each>(p), load_repeated<N / 2, Each>(p + N / 2 / Each));
  } else {
    vec<T, N> v;
    if constexpr (bytes >= 16) {
      v.r = vec_detail::repeated<Each>(load<N / Each>(p).r, std::make_index_sequence<N>());
    } else {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, p, bytes);
      const typename vec_detail::native<std::uint64_t, 2>::type both{word, 0};
      v.r = vec_detail::repeated<Each>((typename vec_detail::native<T, 16 / sizeof(T)>::type) both,
                                       std::make_index_sequence<N>());
    }
    return v;
  }
}
template <int N, int Each, class T> TANGRAM_INLINE vec<T, N> load_repeated(const T *p, vec<bool, N> m) {
  if (all(m)) return load_repeated<N, Each>(p);
  return gather(p, lane_index<std::uint32_t, N>() / vec<std::uint32_t, N>(std::uint32_t(Each)), m);
}

/// p[0], p[step], p[2 * step], ... where only the run shows the step. Of pitches it is often a small one.
template <int N, class T> TANGRAM_INLINE vec<T, N> load_strided(const T *p, std::ptrdiff_t step) {
  if (step == 1) return load<N>(p);
  if constexpr (!vec<T, N>::whole) {
    return vec<T, N>::join(load_strided<N / 2>(p, step), load_strided<N / 2>(p + N / 2 * step, step));
  } else {
#if defined(__AVX2__)
    if constexpr (vec_detail::shuffles_apart<T, 2, N>) {
      if (step == 2) return load_apart<N, 2>(p);
      if (step == 3) return load_apart<N, 3>(p);
      if (step == 4) return load_apart<N, 4>(p);
    }
#endif
#if defined(TANGRAM_VEC_AVX512)
    if constexpr (vec_detail::has_gather<T, N> || vec_detail::has_near_gather<T, std::uint32_t, N>)
      if (step >= 0 && step < (std::ptrdiff_t(1) << 31) / N)
        return gather(p, lane_index<std::uint32_t, N>() * vec<std::uint32_t, N>(std::uint32_t(step)),
                      vec<bool, N>(true));
#endif
    vec<T, N> v;
    v.r = vec_detail::elements_apart(p, step, std::make_index_sequence<N>());
    return v;
  }
}
template <int N, class T> TANGRAM_INLINE vec<T, N> load_strided(const T *p, std::ptrdiff_t step, vec<bool, N> m) {
  if (step == 1) return load<N>(p, m);
  if (all(m)) return load_strided<N>(p, step);
  vec<T, N> v(T(0));
  for (int i = 0; i < N; ++i)
    if (m[i]) v.set(std::size_t(i), p[i * step]);
  return v;
}
template <class T, int N> TANGRAM_INLINE void store_strided(T *p, std::ptrdiff_t step, const vec<T, N> &v) {
  if (step == 1) return store(p, v);
  for (int i = 0; i < N; ++i) p[i * step] = v[std::size_t(i)];
}
template <class T, int N>
TANGRAM_INLINE void store_strided(T *p, std::ptrdiff_t step, const vec<T, N> &v, vec<bool, N> m) {
  if (step == 1) return store(p, v, m);
  for (int i = 0; i < N; ++i)
    if (m[i]) p[i * step] = v[std::size_t(i)];
}

namespace vec_detail {
/// Register `Which` of those that records of sizeof...(V) fields fill, one record a lane.
template <int Which, class V, std::size_t... Lane>
TANGRAM_INLINE V record_part(std::index_sequence<Lane...>, const V &a, const V &b) {
  constexpr std::size_t n = sizeof...(Lane), at = Which * n;
  return __builtin_shufflevector(a, b, ((at + Lane) / 2 + (at + Lane) % 2 * n)...);
}
template <int Which, class V, std::size_t... Lane>
TANGRAM_INLINE V record_part(std::index_sequence<Lane...>, const V &a, const V &b, const V &c) {
  constexpr std::size_t n = sizeof...(Lane), at = Which * n;
  const V two = __builtin_shufflevector(a, b, ((at + Lane) % 3 == 2 ? 0 : (at + Lane) / 3 + (at + Lane) % 3 * n)...);
  return __builtin_shufflevector(two, c, ((at + Lane) % 3 == 2 ? (at + Lane) / 3 + n : Lane)...);
}
template <int Which, class V, std::size_t... Lane>
TANGRAM_INLINE V record_part(std::index_sequence<Lane...>, const V &a, const V &b, const V &c, const V &d) {
  constexpr std::size_t n = sizeof...(Lane), at = Which * n;
  const V two = __builtin_shufflevector(a, b, ((at + Lane) / 4 + (at + Lane) % 2 * n)...);
  const V others = __builtin_shufflevector(c, d, ((at + Lane) / 4 + (at + Lane) % 2 * n)...);
  return __builtin_shufflevector(two, others, ((at + Lane) % 4 < 2 ? Lane : Lane + n)...);
}
template <class T, int N, std::size_t... Which, class... V>
TANGRAM_INLINE void store_records(T *p, std::index_sequence<Which...>, const V &...fields) {
  if constexpr (!vec<T, N>::whole) {
    store_records<T, N / 2>(p, std::index_sequence<Which...>(), fields.lo...);
    store_records<T, N / 2>(p + N / 2 * sizeof...(V), std::index_sequence<Which...>(), fields.hi...);
  } else {
    vec<T, N> part;
    ((part.r = record_part<int(Which)>(std::make_index_sequence<std::size_t(N)>(), fields.r...),
      store(p + Which * N, part)),
     ...);
  }
}
} // namespace vec_detail

/// A field a vector, of records that are `step` elements apart: where these have no others, in whole registers.
template <class T, int N, class... V>
TANGRAM_INLINE void store_fields(T *p, std::ptrdiff_t step, const vec<T, N> &first, const V &...others) {
  constexpr std::size_t fields = 1 + sizeof...(V);
  if (step == std::ptrdiff_t(fields))
    return vec_detail::store_records<T, N>(p, std::make_index_sequence<fields>(), first, others...);
  store_strided(p, step, first);
  (store_strided(++p, step, others), ...);
}
template <class T, int N, class... V>
TANGRAM_INLINE void store_fields(T *p, std::ptrdiff_t step, vec<bool, N> m, const vec<T, N> &first,
                                 const V &...others) {
  if (all(m)) return store_fields(p, step, first, others...);
  store_strided(p, step, first, m);
  (store_strided(++p, step, others, m), ...);
}

/// The same of a field in structs of `Step` elements, which has `Field` elements of its own struct in front of it.
template <int N, int Step, int Field, class T> TANGRAM_INLINE vec<T, N> load_field(const T *p) {
  if constexpr (!vec_detail::has_fields<T, Step> || sizeof(T) * N < 32) {
    return load_apart<N, Step>(p);
  } else if constexpr (sizeof(T) * N > 32) {
    return vec<T, N>::join(load_field<N / 2, Step, Field>(p), load_field<N / 2, Step, Field>(p + N / 2 * Step));
  } else {
    vec<T, N> v;
#if defined(__AVX2__)
    v.r = vec_detail::field_of<Step, Field>(p - Field, std::make_index_sequence<N>());
#endif
    return v;
  }
}

#pragma GCC diagnostic pop

} // namespace tangram
#endif
