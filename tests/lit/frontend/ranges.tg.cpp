// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Ranges: containers without storage.
#include <tangram/tangram.h>

__spectrum void put(size_t i, Array<1, int> out);
__codelet void put(size_t i, Array<1, int> out) { out[i] = 1; }
__spectrum void part(const Array<1, int> rows, Array<1, int> out);
__codelet void part(const Array<1, int> rows, Array<1, int> out) {
  for (size_t i = 0; i < rows.size(); ++i) out[rows[i]] = 1;
}

__spectrum void f(Array<1, int> out);
// CHECK: (Spectrum "f"
__codelet void f(Array<1, int> out) {
  int n = 7;
  // CHECK: (Map void "put" [(Sequence array<1,u64> - (IntLit u64 0) (IntLit u64 1) (Size u64 (VarRef array<1,i32> "out") -)) (VarRef array<1,i32> "out")]
  map(put, range(out.size()), out);
  // CHECK: (Map void "put" [(Sequence array<1,u64> - (IntLit u64 2) (IntLit u64 3) (IntLit u64 20))
  map(put, range(2, 20, 3), out);
  // CHECK: (Declare "r" array<1,i32> false false [] - (Sequence array<1,i32> - (IntLit i32 -7) (IntLit u64 1) (VarRef i32 "n")))
  auto r = range<int>(-7, n);
  // CHECK: (Partition array<1,array<1,i32>> (VarRef array<1,i32> "r") [(IntLit u64 2)]
  map(part, partition(r, 2, sequence(0, 7, 14), sequence(1), sequence(7, 7, 14)), out);
  // CHECK: (Assign i32 set (Subscript i32 (VarRef array<1,i32> "out") [(IntLit i32 0)]) (Subscript i32 (VarRef array<1,i32> "r") [(IntLit i32 3)]))
  out[0] = r[3];
}
