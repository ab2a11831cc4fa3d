// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Numbers of 16 bits: arithmetic in their own type, conversions by way of float, literals that are rounded.
#include <algorithm>
#include <limits>
#include <tangram/tangram.h>

struct Weighted {
  f16 weight;
  bf16 scale;
};
// CHECK: (Struct "Weighted" [
// CHECK-NEXT: (Param "weight" f16 in)
// CHECK-NEXT: (Param "scale" bf16 in)])

__spectrum f16 f(const Array<1, f16> in, const Array<2, Weighted> w, bf16 b, int n, double d);
// CHECK: (Spectrum "f" f16 [
// CHECK-NEXT: (Param "in" array<1,f16> in)
// CHECK-NEXT: (Param "w" array<2,struct<Weighted>> in)
// CHECK-NEXT: (Param "b" bf16 in)
__codelet f16 f(const Array<1, f16> in, const Array<2, Weighted> w, bf16 b, int n, double d) {
  // CHECK: (Declare "h" f16 false false [] - (FloatLit f16 0.0999755859375))
  f16 h = 0.1;
  // CHECK: (Declare "big" f16 false false [] - (FloatLit f16 inf))
  f16 big = 70000.0f;
  // CHECK: (Declare "most" f16 false false [] - (FloatLit f16 65504))
  f16 most = std::numeric_limits<f16>::max();
  // CHECK: (Declare "tiny" bf16 false false [] - (FloatLit bf16 1.1754943508222875e-38))
  bf16 tiny = std::numeric_limits<bf16>::min();
  // CHECK: (Assign f16 add (VarRef f16 "h") (Subscript f16 (VarRef array<1,f16> "in") [(IntLit i32 0)]))
  h += in[0];
  // CHECK: (Assign f16 set (VarRef f16 "h") (Binary f16 mul (VarRef f16 "h") (Cast f16 (Cast f32 (VarRef i32 "n")))))
  h = h * n;
  // CHECK: (Assign f16 set (VarRef f16 "h") (Cast f16 (Cast f32 (VarRef f64 "d"))))
  h = d;
  // CHECK: (Assign f16 set (VarRef f16 "h") (Cast f16 (Binary f32 add (Cast f32 (VarRef f16 "h")) (Cast f32 (VarRef bf16 "b")))))
  h += float(b);
  // CHECK: (Assign bf16 set (VarRef bf16 "tiny") (Cast bf16 (Cast f32 (VarRef f16 "h"))))
  tiny = bf16(float(h));
  // CHECK: (Declare "x" f64 false false [] - (Binary f64 mul (VarRef f64 "d") (Cast f64 (Cast f32 (Member f16
  double x = d * w[0][1].weight;
  // CHECK: (If (Binary bool lt (VarRef f16 "h") (VarRef f16 "big"))
  if (h < big) n = int(h);
  // CHECK: (Call f32 "sqrtf" [(Cast f32 (VarRef f16 "h"))])
  x = __builtin_sqrtf(h);
  // CHECK: (Return (Conditional f16 (Binary bool lt (VarRef f16 "h") (VarRef f16 "most"))
  return std::max(h, most);
}

template <class T> __spectrum float sum(const Array<1, T> in);
template <class T> __codelet float sum(const Array<1, T> in) {
  float all = 0;
  for (unsigned i = 0; i < in.size(); ++i) all += in[i];
  return all;
}
// CHECK: (Spectrum "sum<bf16>"
// CHECK: (Assign f32 add (VarRef f32 "all") (Cast f32 (Subscript bf16
__instance(sum<bf16>);
