// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// All statements of C, and what C++ adds to their heads.
#include <tangram/tangram.h>

__spectrum int all(const Array<1,int> in, int n);
__codelet int all(const Array<1,int> in, int n) {
  int r = 0;
  // CHECK: (Declare "i" i32 false
  for (int i = 0; i < n; i++) { if (in[i] < 0) continue; r += i; }
  // Shadowing and reuse: names are unique in a body.
  // CHECK: (Declare "i_1" i32 false
  // CHECK: (Declare "i_2" i32 false
  for (int i = n; i > 0; --i) { { int i = 3; r -= i; } }
  // Two variables: they stand before the loop.
  // CHECK: (Block [
  // CHECK-NEXT: (Declare "j" i32
  // CHECK-NEXT: (Declare "k" i32
  // CHECK-NEXT: (For - (Binary bool lt (VarRef i32 "j") (VarRef i32 "k")) (Binary i32 comma (Unary i32 postinc (VarRef i32 "j")) (Unary i32 postdec (VarRef i32 "k")))
  for (int j = 0, k = n; j < k; j++, k--) r ^= j;
  // CHECK: (While (Binary bool gt (VarRef i32 "r") (IntLit i32 100))
  while (r > 100) r >>= 1;
  // CHECK: (DoWhile
  do { ++r; } while (r < 0 && n != 1);
  // A variable in the head.
  // CHECK: (While (IntLit bool 1)
  // CHECK: (Declare "left" i32
  // CHECK: (If (Unary bool not (Cast bool (VarRef i32 "left")))
  // CHECK: (Break)
  while (int left = r % 7) { r -= left; if (left == 3) break; }
  // CHECK: (Declare "v" i32
  // CHECK-NEXT: (If (Cast bool (VarRef i32 "v"))
  if (int v = in[0]; v) r += v; else r -= 1;
  // CHECK: (Switch (VarRef i32 "r") [
  // CHECK-NEXT: (Case [(IntLit i32 1) (IntLit i32 2)] false
  // CHECK: (Case [(IntLit i32 -3)] false
  // CHECK: (Break)
  // CHECK: (Case [] true
  switch (r) {
  case 1:
  case 1 + 1: r = 5; [[fallthrough]];
  case -3: { r = 6; break; }
  default: r = 7;
  }
  // CHECK: (For - - -
  for (;;) { if (r > 3) break; r++; }
  ;
  using Number = int;
  static_assert(sizeof(Number) == 4);
  if constexpr (sizeof(Number) == 8) r = in.size(7); else r = 9;
  // CHECK: (Assign i32 set (VarRef i32 "r") (IntLit i32 9))
  // CHECK-NOT: IntLit u32 7
  (void)n;
  return r;
}

__spectrum void fill(Array<1,int> out, int value);
__codelet void fill(Array<1,int> out, int value) {
  if (out.size() == 0) return;
  // CHECK: (Return -)
  out[0] = value;
}
// CHECK: (Param "out" array<1,i32> inout)
__codelet void fill(Array<1,int> out, int value) { return fill(out, value); }
// CHECK: (Evaluate (SpectrumCall void "fill"
// CHECK-NEXT: (Return -)
