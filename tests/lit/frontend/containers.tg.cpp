// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Containers of several dimensions, temporaries, every form of map, partition and sequence, atomics.
#include <tangram/tangram.h>

__spectrum float dot(const Array<1,float> a, const Array<1,float> b) __requires(a.size() == b.size());
__codelet float dot(const Array<1,float> a, const Array<1,float> b) { return a[0] * b[0]; }
__spectrum float square(float x);
__codelet float square(float x) { return x * x; }
__spectrum float scaled(const Array<1,float> a, double by);
__codelet float scaled(const Array<1,float> a, double by) { return a[0] * by; }
__spectrum void clear(Array<1,float> out);
__codelet void clear(Array<1,float> out) { out[0] = 0; }
__spectrum float tile(const Array<2,float> t);
__codelet float tile(const Array<2,float> t) { return t[0][0]; }

__spectrum void all(const Array<2,float> m, const Array<1,float> x, const Array<1,unsigned> rows, Array<1,float> y);
__codelet void all(const Array<2,float> m, const Array<1,float> x, const Array<1,unsigned> rows, Array<1,float> y) {
  // CHECK: (Spectrum "all"
  // CHECK: (Codelet "a" "" "" false false [] [
  // CHECK-NEXT: (Param "m" array<2,f32> in)
  // CHECK-NEXT: (Param "x" array<1,f32> in)
  // CHECK-NEXT: (Param "rows" array<1,u32> in)
  // CHECK-NEXT: (Param "y" array<1,f32> inout)
  // CHECK: (Declare "t" array<1,f32> false false [(Size u64 (VarRef array<2,f32> "m") (IntLit u32 0))] - -)
  Array<1,float> t(m.size(0));
  // CHECK: (Declare "t2" array<2,f32> false false [(IntLit u64 4) (Cast u64 (Binary i32 add
  int n = 3;
  Array<2,float> t2(4, n + 1);
  // One access, however it is written.
  // CHECK: (Assign f32 set (Subscript f32 (VarRef array<2,f32> "t2") [(IntLit i32 1) (VarRef i32 "n")]) (Subscript f32 (VarRef array<2,f32> "m") [(VarRef i32 "n") (IntLit i32 2)]))
  t2[1][n] = m(n, 2);
  // Rows against a vector: x goes to every call.
  // CHECK: (Declare "r" array<1,f32> false false [] - (Map array<1,f32> "dot" [(VarRef array<2,f32> "m") (VarRef array<1,f32> "x")]
  auto r = map(dot, m, x);
  // Element by element, of one and of two dimensions.
  // CHECK: (Map array<1,f32> "square" [(VarRef array<1,f32> "x")]
  Array<1,float> q = map(square, x);
  // CHECK: (Map array<2,f32> "square" [(VarRef array<2,f32> "m")]
  Array<2,float> q2 = map(square, m);
  // Two partitions side by side.
  // CHECK: (Map array<1,f32> "dot" [(Partition array<1,array<1,f32>> (VarRef array<1,f32> "x") [(IntLit u64 2)]
  // CHECK-SAME: (Partition array<1,array<1,f32>> (VarRef array<1,f32> "r") [(IntLit u64 2)]
  auto both = map(dot, partition(x, 2, sequence(0, 4, 8), sequence(1), sequence(4, 4, 8)),
                  partition(r, 2, sequence(0, 4, 8), sequence(1), sequence(4, 4, 8)));
  // A number for every call, converted.
  // CHECK: (Map array<1,f32> "scaled" [(VarRef array<2,f32> "m") (Cast f64 (VarRef i32 "n"))]
  auto s = map(scaled, m, n);
  // Starts through a container.
  // CHECK: [(Sequence u64 (VarRef array<1,u32> "rows") (IntLit u64 0) (IntLit u64 1) (Size u64 (VarRef array<1,u32> "rows") -))]
  map(clear, partition(y, rows.size() - 1, sequence(rows, 0, 1, rows.size()), sequence(1),
                       sequence(rows, 1, 1, rows.size())));
  // Tiles.
  // CHECK: (Map array<2,f32> "tile" [(Partition array<2,array<2,f32>> (VarRef array<2,f32> "m") [(IntLit u64 2) (IntLit u64 3)]
  auto tiles = map(tile, partition(m, 2, sequence(0, 8, 16), sequence(1), sequence(8, 8, 16),
                                   3, sequence(0, 4, 12), sequence(1), sequence(4, 4, 12)));
  // Rows of a matrix, and a part by its number.
  // CHECK: (SpectrumCall f32 "dot" [(Subscript array<1,f32> (VarRef array<2,f32> "m") [(IntLit i32 1)]) (VarRef array<1,f32> "x")]
  y[0] = dot(m[1], x);
  const auto parts = partition(x, 4, sequence(0, 1, 4), sequence(4), sequence(x.size()));
  // CHECK: (Subscript f32 (VarRef array<1,array<1,f32>> "parts") [(IntLit i32 2) (IntLit i32 0)])
  y[1] = parts[2][0] + tiles[1][2] + both[0] + s[0] + q[0] + q2[0][0] + t[0];
  // CHECK: (Assign array<1,f32> set (VarRef array<1,f32> "y") (Map array<1,f32> "square" [(VarRef array<1,f32> "x")]
  y = map(square, x);
  // CHECK: (Atomic f32 add (Subscript f32 (VarRef array<1,f32> "y") [(IntLit i32 2)]) [(FloatLit f32 1
  atomicAdd(y[2], 1);
}

__spectrum int count(const Array<1,int> in, Array<1,unsigned> bins);
__codelet __coop int count(const Array<1,int> in, Array<1,unsigned> bins) {
  __shared int best;
  // CHECK: (Atomic i32 max (VarRef i32 "best") [(Subscript i32 (VarRef array<1,i32> "in") [(CoopIdx u32)])])
  atomicMax(best, in[coopIdx()]);
  // CHECK: (Atomic u32 compareexchange (Subscript u32 (VarRef array<1,u32> "bins") [(IntLit i32 0)]) [(IntLit u32 0) (IntLit u32 7)])
  return atomicCompareExchange(bins[0], 0, 7) + best;
}
