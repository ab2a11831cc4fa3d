// Products of matrices that the threads of a warp compute together: c += a * b.
#pragma once

#include <cuda_runtime.h>

namespace tangram_cuda {

/// 8 x 8 += 8 x 4 * 4 x 8, from sm_80 on.
__device__ __forceinline__ void multiply_8x8x4(double &c0, double &c1, double a0, double b0) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
               "{%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c0), "+d"(c1)
               : "d"(a0), "d"(b0));
}

/// 16 x 8 += 16 x 4 * 4 x 8, from sm_90 on.
__device__ __forceinline__ void multiply_16x8x4(double &c0, double &c1, double &c2, double &c3, double a0, double a1,
                                                double b0) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
               "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
               : "d"(a0), "d"(a1), "d"(b0));
}

/// 16 x 8 += 16 x 8 * 8 x 8, from sm_90 on.
__device__ __forceinline__ void multiply_16x8x8(double &c0, double &c1, double &c2, double &c3, double a0, double a1,
                                                double a2, double a3, double b0, double b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
               : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
}

/// 16 x 8 += 16 x 16 * 16 x 8, from sm_90 on.
__device__ __forceinline__ void multiply_16x8x16(double &c0, double &c1, double &c2, double &c3, double a0, double a1,
                                                 double a2, double a3, double a4, double a5, double a6, double a7,
                                                 double b0, double b1, double b2, double b3) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
               : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
               : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(a4), "d"(a5), "d"(a6), "d"(a7), "d"(b0), "d"(b1), "d"(b2),
                 "d"(b3));
}

/// Elements that share a word, the first one lowest.
__device__ __forceinline__ unsigned word(unsigned short a, unsigned short b) {
  return a | static_cast<unsigned>(b) << 16;
}
__device__ __forceinline__ unsigned word(unsigned char a, unsigned char b, unsigned char c, unsigned char d) {
  return a | static_cast<unsigned>(b) << 8 | static_cast<unsigned>(c) << 16 | static_cast<unsigned>(d) << 24;
}

// 16 x 8 += 16 x 16 * 16 x 8 of numbers of 16 bits, 16 x 8 += 16 x 32 * 32 x 8 of bytes, from sm_80 on.
#define TANGRAM_MULTIPLY(type, shape, k, c, kind, types)                                                               \
  __device__ __forceinline__ void multiply_##type##_16x8x##k(c &c0, c &c1, c &c2, c &c3, unsigned a0, unsigned a1,     \
                                                             unsigned a2, unsigned a3, unsigned b0, unsigned b1) {     \
    asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "         \
                 "{%0, %1, %2, %3};"                                                                                   \
                 : "+" kind(c0), "+" kind(c1), "+" kind(c2), "+" kind(c3)                                              \
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                              \
  }
TANGRAM_MULTIPLY(f16, "m16n8k16", 16, float, "f", "f32.f16.f16.f32")
TANGRAM_MULTIPLY(bf16, "m16n8k16", 16, float, "f", "f32.bf16.bf16.f32")
TANGRAM_MULTIPLY(i8, "m16n8k32", 32, int, "r", "s32.s8.s8.s32")
TANGRAM_MULTIPLY(u8, "m16n8k32", 32, int, "r", "s32.u8.u8.s32")
#undef TANGRAM_MULTIPLY

} // namespace tangram_cuda
