// For generated code: conversions of f16 and bf16, which are kept as their bits.
#pragma once

#include <tangram/runtime/float16.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tangram_cuda {

__host__ __device__ inline float f16_to_f32(uint16_t bits) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(bits));
#else
  return ::tangram_f16_to_f32(bits);
#endif
}
__host__ __device__ inline uint16_t f32_to_f16(float x) {
#ifdef __CUDA_ARCH__
  return __half_as_ushort(__float2half_rn(x));
#else
  return ::tangram_f32_to_f16(x);
#endif
}
__host__ __device__ inline float bf16_to_f32(uint16_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
#else
  return ::tangram_bf16_to_f32(bits);
#endif
}
__host__ __device__ inline uint16_t f32_to_bf16(float x) {
#ifdef __CUDA_ARCH__
  return __bfloat16_as_ushort(__float2bfloat16_rn(x));
#else
  return ::tangram_f32_to_bf16(x);
#endif
}

} // namespace tangram_cuda
