// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Cooperative functions are put where they are called, with names of their own.
#include <tangram/tangram.h>

template <class T> __coop T sum_of_lanes(T value) {
  __shared T t[coopDim()];
  t[coopIdx()] = value;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (coopIdx() < s) t[coopIdx()] += t[coopIdx() + s];
  return t[0];
}
__coop void halve(float t[], unsigned n, unsigned &rounds) {
  for (unsigned s = n / 2; s > 0; s /= 2, ++rounds) t[coopIdx()] += t[s];
}
__coop float early(const Array<1, float> row) {
  if (row.size() == 0) return -1;
  return row[0];
}

__spectrum float f(const Array<2, float> in);
// CHECK: (Codelet "a" "" "" true
__codelet __coop float f(const Array<2, float> in) {
  // CHECK: (Declare "t" f32 false true [(CoopDim u32)] - -)
  __shared float t[coopDim()];
  // CHECK-NEXT: (Declare "value" f32 {{.*}} (Subscript f32 (VarRef array<2,f32> "in") [(IntLit i32 0) (CoopIdx u32)]))
  // CHECK-NEXT: (Declare "t_1" f32 false true [(CoopDim u32)] - -)
  // CHECK-NEXT: (Evaluate (Assign f32 set (Subscript f32 (VarRef f32 "t_1") [(CoopIdx u32)]) (VarRef f32 "value")))
  // CHECK: (Declare "sum_of_lanes_result" f32 {{.*}} (Subscript f32 (VarRef f32 "t_1") [(IntLit i32 0)]))
  // CHECK: (Assign f32 set (Subscript f32 (VarRef f32 "t") [(CoopIdx u32)]) (Binary f32 mul (FloatLit f32 2) (VarRef f32 "sum_of_lanes_result")))
  t[coopIdx()] = 2 * sum_of_lanes(in[0][coopIdx()]);
  // Arrays and variables by reference.
  // CHECK: (Declare "rounds" u32
  unsigned rounds = 0;
  // CHECK: (Unary u32 preinc (VarRef u32 "rounds"))
  // CHECK: (Assign f32 add (Subscript f32 (VarRef f32 "t") [(CoopIdx u32)]) (Subscript f32 (VarRef f32 "t") [(VarRef u32 "s_1")]))
  halve(t, coopDim(), rounds);
  // A condition of a loop: each time.
  // CHECK: (While (IntLit bool 1)
  // CHECK: (Declare "t_{{[0-9]}}" u32 false true
  // CHECK: (If (Unary bool not
  // CHECK-NEXT: (Block [
  // CHECK-NEXT: (Break)
  while (sum_of_lanes(rounds) < 100) ++rounds;
  // Rows, and more than one return.
  // CHECK: (Declare "early_result" f32
  // CHECK: (If (Binary bool eq (Size u64 (VarRef array<2,f32> "in") (IntLit u64 1))
  // CHECK: (Assign f32 set (VarRef f32 "early_result") (Subscript f32 (VarRef array<2,f32> "in") [(IntLit i32 1) (IntLit i32 0)]))
  // CHECK: (Return (VarRef f32 "early_result"))
  return early(in[1]);
}
// CHECK-NOT: (Function
