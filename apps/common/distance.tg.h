// Square of the distance between two points.
#pragma once
#include "sum.tg.h"

// One feature's part of it.
template <class T>
__spectrum T difference(T a, T b);

template <class T>
__codelet T difference(T a, T b) {
  return (a - b) * (a - b);
}

template <class T>
__spectrum T distance(const Array<1, T> a, const Array<1, T> b) __requires(a.size() == b.size());

template <class T>
__codelet __tag(serial) T distance(const Array<1, T> a, const Array<1, T> b) {
  T accum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    accum += difference(a[i], b[i]);
  return accum;
}

template <class T>
__codelet __tag(strided) T distance(const Array<1, T> a, const Array<1, T> b) {
  __tunable unsigned p;
  size_t len = a.size();
  return sum(map(distance<T>, partition(a, p, sequence(0, 1, p), sequence(p), sequence(len)),
                 partition(b, p, sequence(0, 1, p), sequence(p), sequence(len))));
}
