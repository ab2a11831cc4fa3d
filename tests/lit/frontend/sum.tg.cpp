// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// The four codelets of Figure 4.3 in the syntax printed there: only the spectrum's declaration is added. The strided
// partition as printed drops elements where p does not divide the length; that is for `verify` to say.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1,int> in);

// CHECK: (Spectrum "sum" i32 [
// CHECK-NEXT: (Param "in" array<1,i32> in)] [] [

__codelet
int sum(const Array<1,int> in) {
  unsigned len = in.size();
  int accum = 0;
  for(unsigned i=0; i < len; ++i) {
    accum += in[i];
  }
  return accum;
}
// CHECK: (Codelet "a" "" "" false false [] [
// CHECK: (Declare "len" u32 false false [] - (Cast u32 (Size u64 (VarRef array<1,i32> "in") -)))
// CHECK: (Declare "accum" i32 false false [] - (IntLit i32 0))
// CHECK: (Declare "i" u32 false false [] - (IntLit u32 0)) (Binary bool lt (VarRef u32 "i") (VarRef u32 "len")) (Unary u32 preinc (VarRef u32 "i"))
// CHECK: (Evaluate (Assign i32 add (VarRef i32 "accum") (Subscript i32 (VarRef array<1,i32> "in") [(VarRef u32 "i")])))
// CHECK: (Return (VarRef i32 "accum"))

__codelet __coop __tag(kog)
int sum(const Array<1,int> in) {
  __shared int tmp[coopDim()];
  unsigned len = in.size();
  unsigned id = coopIdx();
  tmp[id] = (id < len)? in[id] : 0;
  for(unsigned s=1; s<coopDim(); s *= 2) {
    if(id >= s)
      tmp[id] += tmp[id - s];
  }
  return tmp[coopDim()-1];
}
// CHECK: (Codelet "kog" "kog" "" true false [] [
// CHECK: (Declare "tmp" i32 false true [(CoopDim u32)] - -)
// CHECK: (Declare "id" u32 false false [] - (CoopIdx u32))
// CHECK: (Assign i32 set (Subscript i32 (VarRef i32 "tmp") [(VarRef u32 "id")]) (Conditional i32 (Binary bool lt (VarRef u32 "id") (VarRef u32 "len")) (Subscript i32 (VarRef array<1,i32> "in") [(VarRef u32 "id")]) (IntLit i32 0)))
// CHECK: (Assign u32 mul (VarRef u32 "s") (IntLit u32 2))
// CHECK: (Return (Subscript i32 (VarRef i32 "tmp") [(Binary u32 sub (CoopDim u32) (IntLit u32 1))]))

__codelet __tag(asso_tiled)
int sum(const Array<1,int> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  unsigned tile = (len+p-1)/p;
  return sum( map( sum, partition(in,
    p,sequence(0,tile,len),sequence(1),sequence(tile,tile,len+1))));
}
// CHECK: (Codelet "asso_tiled" "asso_tiled" "" false false [] [
// CHECK: (Declare "p" u32 false false []
// CHECK-NEXT: (Tunable 1 0 1 [] "") -)
// CHECK: (Return (SpectrumCall i32 "sum" [(Map array<1,i32> "sum" [(Partition array<1,array<1,i32>> (VarRef array<1,i32> "in") [(Cast u64 (VarRef u32 "p"))]
// CHECK-SAME: [(Sequence u64 - (IntLit u64 0) (Cast u64 (VarRef u32 "tile")) (Cast u64 (VarRef u32 "len")))]
// CHECK-SAME: [(Sequence u64 - (IntLit u64 1) - -)]
// CHECK-SAME: [(Sequence u64 - (Cast u64 (VarRef u32 "tile")) (Cast u64 (VarRef u32 "tile")) (Cast u64 (Binary u32 add (VarRef u32 "len") (IntLit u32 1))))]

__codelet __tag(stride_tiled)
int sum(const Array<1,int> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  unsigned tile = (len+p-1)/p;
  return sum( map( sum, partition(in,
    p,sequence(0,1,p),sequence(p),sequence((p-1)*tile,1,len+1))));
}
// CHECK: (Codelet "stride_tiled" "stride_tiled" "" false false [] [
// CHECK: [(Sequence u64 - (Cast u64 (Binary u32 mul (Binary u32 sub (VarRef u32 "p") (IntLit u32 1)) (VarRef u32 "tile"))) (IntLit u64 1) (Cast u64 (Binary u32 add (VarRef u32 "len") (IntLit u32 1))))]
