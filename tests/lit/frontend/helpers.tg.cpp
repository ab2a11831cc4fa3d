// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Functions that are given containers or arrays are put where they are called: those that do nothing but return an
// expression stay an expression, under its conditions; rows are parts of their containers.
#include <tangram/tangram.h>

inline float at(const Array<2, float> in, int y, int x) { return y >= 0 ? in[y][x] : 0; }
inline float first(const Array<1, float> &row) { return row.size() > 0 ? row[0] : 0; }
inline void swap_ends(float v[4]) {
  float t = v[0];
  v[0] = v[3];
  v[3] = t;
}

// CHECK-NOT: (Function
__spectrum float f(const Array<2, float> in, int n);
// CHECK: (Codelet "a"
__codelet float f(const Array<2, float> in, int n) {
  // CHECK: (Declare "sum" {{.*}}(Conditional f32 {{.*}}(Conditional f32 {{.*}}(Binary i32 sub (VarRef i32 "n") (IntLit i32 1))
  float sum = n > 1 ? at(in, n - 1, n) : 1;
  // CHECK-NOT: (Call
  // CHECK: (Size u64 (VarRef array<2,f32> "in") (IntLit u64 1))
  // CHECK-SAME: (Subscript f32 (VarRef array<2,f32> "in") [(VarRef i32 "n") {{.*}}(IntLit i32 0)
  sum += first(in[n]);
  // CHECK: (Declare "v" f32 false false
  float v[4] = {sum, 1, 2, 3};
  // CHECK: (Declare "t" f32 {{.*}}(Subscript f32 (VarRef f32 "v") [(IntLit i32 0)])
  swap_ends(v);
  return v[0];
}
