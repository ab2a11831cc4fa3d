// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Macros of the user around qualifiers and whole codelets.
#include <tangram/tangram.h>
#include <concepts>

#define LANES __coop __codelet
#define REDUCE(name, op)                                                                                               \
  __codelet int name(const Array<1,int> in);                                                                           \
  __codelet int name(const Array<1,int> in) {                                                                          \
    int a = 0;                                                                                                         \
    for (unsigned i = 0; i < in.size(); ++i) a = a op in[i];                                                           \
    return a;                                                                                                          \
  }                                                                                                                    \
  LANES int name(const Array<1,int> in) { return in[coopIdx()]; }
#define GENERIC(name)                                                                                                  \
  template <class T> __spectrum T name(const Array<1,T> in);                                                           \
  template <class T> __codelet T name(const Array<1,T> in) { return in[0]; }                                           \
  template <class T> LANES T name(const Array<1,T> in) { return in[0]; }

REDUCE(sum, +)
REDUCE(parity, ^)
GENERIC(head)
GENERIC(front)
template <class T> requires std::integral<T> __spectrum T low(const Array<1,T> in);
template <class T> requires std::integral<T> __codelet __tag(c) T low(const Array<1,T> in) { return head(in) & 1; }

__spectrum float all(const Array<1,float> in, const Array<1,int> n);
__codelet float all(const Array<1,float> in, const Array<1,int> n) {
  return map(head<float>, partition(in, 2, sequence(0), sequence(1), sequence(3)))[0] + front(in) + low(n);
}

// CHECK: (Spectrum "sum" i32
// CHECK: (Codelet "a" "" "" false
// CHECK: (Binary i32 add (VarRef i32 "a") (Subscript
// CHECK: (Codelet "b" "" "" true
// CHECK: (Spectrum "parity" i32
// CHECK: (Binary i32 xor (VarRef i32 "a") (Subscript
// CHECK: (Spectrum "all" f32
// CHECK: (Spectrum "head<float>" f32
// CHECK: (Codelet "a" "" "" false
// CHECK: (Codelet "b" "" "" true
// CHECK: (Spectrum "front<float>" f32
// CHECK: (Spectrum "low<int>" i32
// CHECK: (Codelet "c" "c" "" false
