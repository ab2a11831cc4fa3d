// y = A x for a row-major matrix.
#pragma once
#include "dot.tg.h"

template <class T>
__spectrum void gemv(const Array<2, T> a, const Array<1, T> x, Array<1, T> y)
    __requires(a.size(0) == y.size()) __requires(a.size(1) == x.size());

// A dot product a row.
template <class T>
__codelet __tag(rows) void gemv(const Array<2, T> a, const Array<1, T> x, Array<1, T> y) {
  y = map(dot<T>, a, x);
}
