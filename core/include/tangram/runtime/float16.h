/* Floating-point numbers of 16 bits: what f16 and bf16 of the Tangram language are to a caller. f16 is IEEE 754
 * binary16, as _Float16 and __half are; bf16 is the upper half of a binary32, as __bf16 and __nv_bfloat16 are. Memory
 * of these may be passed as memory of ours.
 *
 * C sees the bits. In C++ they convert from and to float, rounding to nearest, ties to even; arithmetic is float's. */
#ifndef TANGRAM_RUNTIME_FLOAT16_H
#define TANGRAM_RUNTIME_FLOAT16_H

#include <stdint.h>

#ifdef __cplusplus
#include <cstring>

/* By whole numbers, and additions that are exact or round as they must: of numbers, and of vectors of them (vec.h). The
 * functions that a vector's type has beside arithmetic are found where that type is. */
namespace tangram::float16 {

inline uint32_t as_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float as_float(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline uint32_t select(bool which, uint32_t a, uint32_t b) { return which ? a : b; }

/* U is uint32_t, or a vector of them, with the 16 bits in its lower half. */
template <class U> auto from_f16(const U &half) {
  const U exponent = half & U(0x7c00u), magnitude = (half & U(0x7fffu)) << U(13u);
  const U normal = magnitude + U(112u << 23), special = normal + U(112u << 23); /* infinities, NaNs */
  const U subnormal = as_bits(as_float(magnitude + U(113u << 23)) - as_float(U(113u << 23)));
  const U finite = select(exponent == U(0u), subnormal, normal);
  return as_float(select(exponent == U(0x7c00u), special, finite) | ((half & U(0x8000u)) << U(16u)));
}

template <class U, class F> U to_f16(const F &x) {
  const U bits = as_bits(x), sign = bits & U(0x80000000u), size = bits ^ sign;
  const U normal = (size + U(0xfffu - (112u << 23)) + ((size >> U(13u)) & U(1u))) >> U(13u);
  /* Beside 0.5 floats are as far apart as the smallest halves: the addition rounds. */
  const U subnormal = as_bits(as_float(size) + as_float(U(126u << 23))) - U(126u << 23);
  const U special = select(size > U(0x7f800000u), U(0x7e00u), U(0x7c00u));
  const U finite = select(size < U(113u << 23), subnormal, normal);
  return select(size >= U(143u << 23), special, finite) | (sign >> U(16u));
}

template <class U> auto from_bf16(const U &half) { return as_float(half << U(16u)); }

template <class U, class F> U to_bf16(const F &x) {
  const U bits = as_bits(x);
  const U rounded = (bits + U(0x7fffu) + ((bits >> U(16u)) & U(1u))) >> U(16u);
  return select((bits & U(0x7fffffffu)) > U(0x7f800000u), (bits >> U(16u)) | U(0x40u), rounded);
}

} // namespace tangram::float16

/* Of the bits; by an instruction where the processor has one, and the compiler the type. */
#if defined(__F16C__) && defined(__FLT16_MAX__)
inline float tangram_f16_to_f32(uint16_t half) {
  _Float16 x;
  std::memcpy(&x, &half, sizeof x);
  return static_cast<float>(x);
}
inline uint16_t tangram_f32_to_f16(float x) {
  const auto half = static_cast<_Float16>(x);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}
#else
inline float tangram_f16_to_f32(uint16_t half) { return tangram::float16::from_f16(static_cast<uint32_t>(half)); }
inline uint16_t tangram_f32_to_f16(float x) { return static_cast<uint16_t>(tangram::float16::to_f16<uint32_t>(x)); }
#endif
inline float tangram_bf16_to_f32(uint16_t half) { return tangram::float16::from_bf16(static_cast<uint32_t>(half)); }
inline uint16_t tangram_f32_to_bf16(float x) { return static_cast<uint16_t>(tangram::float16::to_bf16<uint32_t>(x)); }
#endif

typedef struct tangram_f16 {
  uint16_t bits;
#ifdef __cplusplus
  tangram_f16() = default;
  tangram_f16(float x) : bits(tangram_f32_to_f16(x)) {}
  operator float() const { return tangram_f16_to_f32(bits); }
#endif
} tangram_f16;

typedef struct tangram_bf16 {
  uint16_t bits;
#ifdef __cplusplus
  tangram_bf16() = default;
  tangram_bf16(float x) : bits(tangram_f32_to_bf16(x)) {}
  operator float() const { return tangram_bf16_to_f32(bits); }
#endif
} tangram_bf16;

#ifdef __cplusplus
inline float tangram_f16_to_f32(tangram_f16 x) { return x; }
inline float tangram_bf16_to_f32(tangram_bf16 x) { return x; }

namespace tangram {
using f16 = tangram_f16;
using bf16 = tangram_bf16;
} // namespace tangram
#endif

#endif
