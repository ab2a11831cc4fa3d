// Sum of a container, for any arithmetic element type.
#pragma once
#include <tangram/tangram.h>

template <class T>
__spectrum T sum(const Array<1, T> in);

template <class T>
__codelet __tag(serial) T sum(const Array<1, T> in) {
  T accum = 0;
  for (size_t i = 0; i < in.size(); ++i)
    accum += in[i];
  return accum;
}

// Kogge-Stone tree among lanes.
template <class T>
__codelet __coop __tag(tree) T sum(const Array<1, T> in) {
  __shared T tmp[coopDim()];
  size_t id = coopIdx();
  tmp[id] = id < in.size() ? in[id] : T(0);
  for (unsigned s = 1; s < coopDim(); s *= 2) {
    if (id >= s)
      tmp[id] += tmp[id - s];
  }
  return tmp[coopDim() - 1];
}

template <class T>
__codelet __tag(adjacent) T sum(const Array<1, T> in) {
  __tunable unsigned p;
  size_t len = in.size();
  size_t tile = (len + p - 1) / p;
  return sum(map(sum<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

template <class T>
__codelet __tag(strided) T sum(const Array<1, T> in) {
  __tunable unsigned p;
  return sum(map(sum<T>, partition(in, p, sequence(0, 1, p), sequence(p), sequence(in.size()))));
}
