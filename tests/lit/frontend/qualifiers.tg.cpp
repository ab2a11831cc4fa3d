// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Names of codelets, tunables, environments, conditions, namespaces.
#include <tangram/tangram.h>

namespace lin {
__spectrum int f(const Array<1,int> in) __requires(in.size() > 0) __requires(in.size() % 2 == 0);
// CHECK: (Spectrum "lin::f" i32 [
// CHECK-NEXT: (Param "in" array<1,i32> in)] [(Binary bool gt {{.*}}) (Binary bool eq (Binary u64 rem {{.*}}] [

// Each codelet has the letter of its place, unless that is a tag.
// CHECK: (Codelet "a" ""
__codelet int f(const Array<1,int> in) { return 1; }
// CHECK: (Codelet "b" "b"
__codelet __tag(b) int f(const Array<1,int> in) { return 2; }
// CHECK: (Codelet "d" "" "" false false ["cpu" "nvidia-h200"]
__env(cpu, nvidia-h200) __codelet int f(const Array<1,int> in) { return 3; }
// CHECK: (Codelet "c" "c" "" true false [] [
// CHECK-NEXT: (Param "data" array<1,i32> in)] [(Binary bool le (Size u64 (VarRef array<1,i32> "data") -) (Cast u64 (Binary u32 mul (IntLit u32 2) (CoopDim u32))))]
__coop __tag(c) __codelet int f(const Array<1,int> data) __requires(data.size() <= 2 * coopDim()) {
  return data[coopIdx()];
}
// CHECK: (Codelet "f" ""
__codelet int f(const Array<1,int> in) {
  // CHECK: (Declare "p" u32 false false []
  // CHECK-NEXT: (Tunable 1 0 1 [] "") -)
  __tunable unsigned p;
  // CHECK: (Declare "q" i32 false false []
  // CHECK-NEXT: (Tunable 1 64 1 [] "") -)
  __tunable(1, 64) int q;
  // CHECK: (Tunable 8 256 8 [] "")
  __tunable(8, 32 * 8, 8) unsigned r;
  // CHECK: (Tunable 1 4 1 [1 2 4] "")
  __tunable(values(1, 2, 4)) unsigned char v;
  return f(in) + p + q + r + v;
}
// CHECK: (Codelet "h" "h" "" false true []
__codelet __independent __tag(h) int f(const Array<1,int> in) {
  return f(map(f, partition(in, 2, sequence(0, 1, 2), sequence(2), sequence(in.size()))));
}
} // namespace lin
