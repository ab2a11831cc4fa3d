// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Helper functions, the math library by its C names, and what the standard library offers besides.
#include "Inputs/helper.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tangram/tangram.h>

__spectrum double f(const Array<1,float> in, double d, int i, long l);
__codelet double f(const Array<1,float> in, double d, int i, long l) {
  float x = in[0];
  // CHECK-DAG: (Function "util_scale" f32
  // CHECK-DAG: (Function "util_scale_1" i32
  // CHECK-DAG: (Function "util_clampToByte" i32
  // CHECK-DAG: (Function "max_f32" f32
  // CHECK: (Codelet "a"
  // CHECK: (Assign f32 set (VarRef f32 "x") (Call f32 "util_scale" [(VarRef f32 "x")]))
  x = util::scale(x);
  // CHECK: (Call i32 "util_scale_1" [(VarRef i32 "i")])
  i = util::scale(i);
  // CHECK: (Call f32 "sqrtf" [(VarRef f32 "x")])
  x = std::sqrt(x);
  // CHECK: (Call f32 "sqrtf" [(VarRef f32 "x")])
  x = sqrtf(x);
  // CHECK: (Call f64 "sqrt" [(Cast f64 (VarRef i32 "i"))])
  d = std::sqrt(i);
  // CHECK: (Call f64 "pow" [(VarRef f64 "d") (FloatLit f64 2
  d = std::pow(d, 2);
  // CHECK: (Call f32 "fmaf"
  x = std::fma(x, x, x);
  // CHECK: (Call f32 "erff"
  x = std::erf(x);
  // CHECK: (Call i32 "abs"
  i = std::abs(i);
  // CHECK: (Call i64 "llabs"
  l = std::labs(l);
  // CHECK: (Call f32 "fabsf"
  x = std::abs(x);
  // CHECK: (Call bool "isnan" [(VarRef f32 "x")])
  if (std::isnan(x)) return 0;
  // CHECK: (Conditional i32 (Binary bool lt (VarRef i32 "i") (IntLit i32 3)) (IntLit i32 3) (VarRef i32 "i"))
  i = std::max(i, 3);
  // CHECK: (Conditional f32 (Binary bool lt (Subscript f32 (VarRef array<1,f32> "in") [(IntLit i32 1)]) (VarRef f32 "x")) (Subscript f32 (VarRef array<1,f32> "in") [(IntLit i32 1)]) (VarRef f32 "x"))
  x = std::min(x, in[1]);
  // Evaluated once each.
  // CHECK: (Call f32 "max_f32" [(Call f32 "expf" [(VarRef f32 "x")]) (VarRef f32 "x")])
  x = std::max(std::exp(x), x);
  // CHECK: (Declare "lowest" f32 false false [] - (FloatLit f32 -3.40282346
  float lowest = std::numeric_limits<float>::lowest();
  // CHECK: (Declare "inf" f32 false false [] - (FloatLit f32 inf))
  float inf = INFINITY;
  // CHECK: (Declare "top" i32 false false [] - (IntLit i32 2147483647))
  int top = std::numeric_limits<int>::max();
  return d + x + i + l + lowest + inf + top;
}
