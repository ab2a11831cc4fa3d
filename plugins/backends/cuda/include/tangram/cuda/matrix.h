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

} // namespace tangram_cuda
