// Dot product of two containers of one length.
#pragma once
#include "sum.tg.h"

template <class T>
__spectrum T dot(const Array<1, T> a, const Array<1, T> b) __requires(a.size() == b.size());

template <class T>
__codelet __tag(serial) T dot(const Array<1, T> a, const Array<1, T> b) {
  T accum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    accum += a[i] * b[i];
  return accum;
}

template <class T>
__codelet __tag(adjacent) T dot(const Array<1, T> a, const Array<1, T> b) {
  __tunable unsigned p;
  size_t len = a.size();
  size_t tile = (len + p - 1) / p;
  return sum(map(dot<T>, partition(a, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)),
                 partition(b, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

template <class T>
__codelet __tag(strided) T dot(const Array<1, T> a, const Array<1, T> b) {
  __tunable unsigned p;
  size_t len = a.size();
  return sum(map(dot<T>, partition(a, p, sequence(0, 1, p), sequence(p), sequence(len)),
                 partition(b, p, sequence(0, 1, p), sequence(p), sequence(len))));
}
