// Vectors of any power-of-two length for generated code: tangram::vec<T, N> is one native register where it fits and
// recursive halves where it does not, so that everything stays in registers. Over the vector extensions that C++
// compilers share; instructions that those cannot express (masked memory accesses, compare to mask) have a plain
// fallback.
//
//   vec<float, 32> s = 0.0f;
//   for (size_t i = 0; i + 32 <= n; i += 32) s += load<32>(p + i);
//   float total = reduce_add(s);
#ifndef TANGRAM_RUNTIME_VEC_H
#define TANGRAM_RUNTIME_VEC_H

#include "tangram/runtime/vec/vector.h"

#include "tangram/runtime/vec/strided.h"

#include "tangram/runtime/vec/float16.h"

#include "tangram/runtime/vec/math.h"

#endif
