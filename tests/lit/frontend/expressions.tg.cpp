// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Conversions are explicit, constants are folded to literals.
#include <tangram/tangram.h>

enum Color { Red, Green = 7 };
enum class Wide : long { Big = 1l << 40 };
constexpr int kLimit = 3 * 4;
const double kScale = 0.5;
constexpr float kWeights[2][3] = {{1, 2, 3}, {4, 5}};
template <class T, int N> constexpr T power(T x) { if constexpr (N == 0) return 1; else return x * power<T, N - 1>(x); }

__spectrum float f(const Array<1,float> in, unsigned char c, long long big, bool flag);
__codelet float f(const Array<1,float> in, unsigned char c, long long big, bool flag) {
  // CHECK: (Declare "a" i32 false false [] - (IntLit i32 7))
  int a = Green;
  // CHECK: (Declare "b" i64 true false [] - (IntLit i64 1099511627776))
  const long b = static_cast<long>(Wide::Big);
  // CHECK: (Declare "d" f64 false false [] - (FloatLit f64 0.5))
  double d = kScale;
  // CHECK: (Assign i32 add (VarRef i32 "a") (IntLit i32 12))
  a += kLimit;
  // A narrow target computes in int.
  // CHECK: (Assign u8 set (VarRef u8 "c") (Cast u8 (Binary i32 add (Cast i32 (VarRef u8 "c")) (IntLit i32 1))))
  c += 1;
  // CHECK: (Assign i32 set (VarRef i32 "a") (Cast i32 (Binary f64 mul (Cast f64 (VarRef i32 "a")) (VarRef f64 "d"))))
  a *= d;
  // CHECK: (Binary i64 shl (VarRef i64 "big") (Cast i32 (VarRef u8 "c")))
  big = big << c;
  // CHECK: (Binary i32 and (Unary i32 bitnot (VarRef i32 "a")) (IntLit i32 -5))
  a = ~a & -5;
  // CHECK: (Assign bool set (VarRef bool "flag") (Cast bool (Binary i32 or (Cast i32 (Unary bool not (VarRef bool "flag"))) (Cast i32 (Cast bool (VarRef i32 "a"))))))
  flag = bool(!flag | bool(a));
  // CHECK: (Declare "s" u64 false false [] - (IntLit u64 8))
  unsigned long s = sizeof(double);
  // CHECK: (Declare "u" u64 true false [] - (IntLit u64 -1))
  const unsigned long u = ~0ul;
  // CHECK: (Declare "x" f32 false false [] - (FloatLit f32 0.1
  float x = 0.1;
  // CHECK: (Declare "z" i32 false false [] - (IntLit i32 0))
  int z{};
  // CHECK: (Declare "letter" i8 false false [] - (IntLit i8 65))
  char letter = 'A';
  // CHECK: (Declare "t" i32 false false [(IntLit u64 2) (IntLit u64 3)] - (InitList i32 [(InitList i32 [(IntLit i32 1)]) (InitList i32 [(IntLit i32 2) (IntLit i32 3)])]))
  int t[2][3] = {{1}, {2, 3}};
  // CHECK: (Subscript i32 (VarRef i32 "t") [(IntLit i32 1) (VarRef i32 "z")])
  a = t[1][z];
  // CHECK: (Subscript f32 (VarRef f32 "kWeights") [(VarRef i32 "z") (VarRef i32 "a")])
  x = kWeights[z][a];
  // CHECK: (Call f32 "power" [(VarRef f32 "x")])
  x = power<float, 2>(x);
  // CHECK: (Conditional f32 (Cast bool (VarRef i32 "a")) (VarRef f32 "x") (Cast f32 (VarRef f64 "d")))
  return a ? x : float(d);
}

// A codelet that does not look it up has no copy of the table.
__codelet float f(const Array<1,float> in, unsigned char, long long, bool) { return in[0]; }
// CHECK: (Codelet "b"
// CHECK-NOT: kWeights
