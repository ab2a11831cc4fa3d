// RUN: %tangram compile %s --emit ast | %FileCheck %s
// RUN: %tangram compile %s --emit ast --spectrum 'sum<unsigned long>' | %FileCheck %s --check-prefix=MORE
// RUN: %tangram compile %s --emit ast --spectrum 'sum<i16>' | %FileCheck %s --check-prefix=SHORT
// RUN: %not %tangram compile %s --emit ast --spectrum 'sum<float*>' 2>&1 | %FileCheck %s --check-prefix=POINTER
// RUN: %not %tangram compile %s --emit ast --spectrum 'sun<float>' 2>&1 | %FileCheck %s --check-prefix=TYPO
// RUN: %not %tangram compile %s --emit ast --spectrum 'total<float>' 2>&1 | %FileCheck %s --check-prefix=PLAIN
//
// Instances are made where they are called, named by __instance or asked for; their codelets follow, transitively.
#include <tangram/tangram.h>

template <class T> __spectrum T sum(const Array<1,T> in) __requires(in.size() > 0);
template <class T> __spectrum T twice(T x);

template <class T> __codelet T twice(T x) { return x + x; }

template <class T>
__codelet T sum(const Array<1,T> in) {
  T accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

template <class U>
__codelet __coop __tag(lanes) U sum(const Array<1,U> in) __requires(in.size() <= coopDim()) {
  __shared U tmp[coopDim()];
  tmp[coopIdx()] = coopIdx() < in.size() ? in[coopIdx()] : U(0);
  return tmp[0];
}

template <class T>
__codelet __tag(tiled) T sum(const Array<1,T> in) {
  __tunable(2, 64, 2) unsigned p;
  unsigned tile = (in.size() + p - 1) / p;
  return sum(map(sum<T>, partition(in, p, sequence(0, tile, in.size()), sequence(1), sequence(tile, tile, in.size()))));
}

// For one instance only.
__codelet __tag(special) double sum(const Array<1,double> in) { return twice(in[0]); }

__spectrum float total(const Array<1,float> in);
__codelet float total(const Array<1,float> in) { return sum(in); }
__codelet float total(const Array<1,float> in) {
  return sum<float>(map(sum<float>, partition(in, 2, sequence(0), sequence(1), sequence(in.size()))));
}

__instance(sum<double>);

// CHECK: (Spectrum "total" f32 [
// CHECK: (SpectrumCall f32 "sum<float>" [(VarRef array<1,f32> "in")]
// CHECK: (SpectrumCall f32 "sum<float>" [(Map array<1,f32> "sum<float>"
// CHECK: (Spectrum "sum<double>" f64 [
// CHECK-NEXT: (Param "in" array<1,f64> in)] [(Binary bool gt (Size u64 (VarRef array<1,f64> "in") -) (IntLit u64 0))] [
// CHECK: (Codelet "a" "" "" false
// CHECK: (Declare "accum" f64 false false [] - (FloatLit f64 0
// CHECK: (Codelet "lanes" "lanes" "" true false [] [
// CHECK-NEXT: (Param "in" array<1,f64> in)] [(Binary bool le (Size u64 (VarRef array<1,f64> "in") -) (Cast u64 (CoopDim u32)))]
// CHECK: (Declare "tmp" f64 false true [(CoopDim u32)] - -)
// CHECK: (Codelet "tiled" "tiled" "" false
// CHECK: (Tunable 2 64 2 [] "")
// CHECK: (SpectrumCall f64 "sum<double>" [(Map array<1,f64> "sum<double>"
// CHECK: (Codelet "special" "special" "" false
// CHECK: (SpectrumCall f64 "twice<double>"
// CHECK: (Spectrum "sum<float>" f32 [
// CHECK-NOT: special
// CHECK: (Spectrum "twice<double>" f64 [
// CHECK-NOT: (Spectrum

// MORE: (Spectrum "sum<unsigned long>" u64 [
// SHORT: (Spectrum "sum<i16>" i16 [

// POINTER: error: 'float*' in 'sum<float*>' is not a type that an element can have
// TYPO: error: there is no spectrum 'sun<float>'
// TYPO: known here: one of sum<...>, twice<...>, total
// PLAIN: error: 'total<float>': the spectrum is no template
