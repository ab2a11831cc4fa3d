// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// __codelet before a declaration declares the spectrum, whatever stands between.
#include <tangram/tangram.h>

__codelet int sum(const Array<1,int> in);
__codelet // { a brace in a comment
float norm(const Array<1,float> in, float scale) __requires(in.size() > 0);

#define MINE __codelet
MINE int sum(const Array<1,int>);

__codelet int sum(const Array<1,int> in) {
  return in[0];
}
MINE int sum(const Array<1,int>) { return 0; }
__codelet float norm(const Array<1,float> in, float scale) { return in[0] * scale; }

// CHECK: (Spectrum "sum" i32 [
// CHECK: (Codelet "a" "" "" false false [] [
// CHECK: (Codelet "b" "" "" false false [] [
// CHECK-NEXT: (Param "arg0" array<1,i32> in)] []
// CHECK: (Spectrum "norm" f32 [
// CHECK-NEXT: (Param "in" array<1,f32> in)
// CHECK-NEXT: (Param "scale" f32 in)] [(Binary bool gt (Size u64 (VarRef array<1,f32> "in") -) (IntLit u64 0))] [
