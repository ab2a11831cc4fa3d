// Dot product of a sparse vector, its elements and their positions, with a dense one.
#pragma once
#include "sum.tg.h"

// One element times what stands at its position.
template <class T>
__spectrum T sparse_multiply(unsigned column, T value, const Array<1, T> x);

template <class T>
__codelet T sparse_multiply(unsigned column, T value, const Array<1, T> x) {
  return value * x[column];
}

template <class T>
__spectrum T sparse_dot(const Array<1, unsigned> column, const Array<1, T> value, const Array<1, T> x)
    __requires(column.size() == value.size());

template <class T>
__codelet __tag(serial) T sparse_dot(const Array<1, unsigned> column, const Array<1, T> value, const Array<1, T> x) {
  T accum = 0;
  for (size_t i = 0; i < value.size(); ++i)
    accum += sparse_multiply(column[i], value[i], x);
  return accum;
}

template <class T>
__codelet __tag(strided) T sparse_dot(const Array<1, unsigned> column, const Array<1, T> value, const Array<1, T> x) {
  __tunable unsigned p;
  size_t len = value.size();
  return sum(map(sparse_dot<T>, partition(column, p, sequence(0, 1, p), sequence(p), sequence(len)),
                 partition(value, p, sequence(0, 1, p), sequence(p), sequence(len)), x));
}
