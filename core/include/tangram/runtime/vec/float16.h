// Conversions of vectors of f16 and bf16, which are kept as vectors of their bits.
#ifndef TANGRAM_RUNTIME_VEC_FLOAT16_H
#define TANGRAM_RUNTIME_VEC_FLOAT16_H

#include "tangram/runtime/float16.h"
#include "tangram/runtime/vec/memory.h"

namespace tangram {

// What tangram/runtime/float16.h asks of vectors.
template <int N> TANGRAM_INLINE vec<std::uint32_t, N> as_bits(const vec<float, N> &x) {
  if constexpr (vec<float, N>::whole) {
    vec<std::uint32_t, N> v;
    v.r = (decltype(v.r))x.r;
    return v;
  } else {
    return vec<std::uint32_t, N>::join(as_bits(x.lo), as_bits(x.hi));
  }
}
template <int N> TANGRAM_INLINE vec<float, N> as_float(const vec<std::uint32_t, N> &bits) {
  if constexpr (vec<float, N>::whole) {
    vec<float, N> v;
    v.r = (decltype(v.r))bits.r;
    return v;
  } else {
    return vec<float, N>::join(as_float(bits.lo), as_float(bits.hi));
  }
}

template <int N> TANGRAM_INLINE vec<float, N> tangram_f16_to_f32(const vec<std::uint16_t, N> &half) {
#if defined(__F16C__)
  if constexpr (N > 8) {
    return vec<float, N>::join(tangram_f16_to_f32(half.low()), tangram_f16_to_f32(half.high()));
  } else if constexpr (N == 8) {
    float x[8];
    _mm256_storeu_ps(x, _mm256_cvtph_ps((__m128i)half.r));
    return load<8>(x);
  } else
#endif
    return float16::from_f16(convert<std::uint32_t>(half));
}

template <int N> TANGRAM_INLINE vec<std::uint16_t, N> tangram_f32_to_f16(const vec<float, N> &x) {
#if defined(__F16C__)
  if constexpr (N > 8) {
    return vec<std::uint16_t, N>::join(tangram_f32_to_f16(x.low()), tangram_f32_to_f16(x.high()));
  } else if constexpr (N == 8) {
    float single[8];
    store(single, x);
    vec<std::uint16_t, N> v;
    v.r = (decltype(v.r))_mm256_cvtps_ph(_mm256_loadu_ps(single), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return v;
  } else
#endif
    return convert<std::uint16_t>(float16::to_f16<vec<std::uint32_t, N>>(x));
}

template <int N> TANGRAM_INLINE vec<float, N> tangram_bf16_to_f32(const vec<std::uint16_t, N> &half) {
  return float16::from_bf16(convert<std::uint32_t>(half));
}
template <int N> TANGRAM_INLINE vec<std::uint16_t, N> tangram_f32_to_bf16(const vec<float, N> &x) {
  return convert<std::uint16_t>(float16::to_bf16<vec<std::uint32_t, N>>(x));
}

} // namespace tangram
#endif
