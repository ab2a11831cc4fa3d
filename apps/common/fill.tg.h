// Sets all elements of a container.
#pragma once
#include <tangram/tangram.h>

template <class T>
__spectrum void fill(T value, Array<1, T> out);

template <class T>
__codelet __tag(serial) void fill(T value, Array<1, T> out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = value;
}

template <class T>
__codelet __tag(adjacent) void fill(T value, Array<1, T> out) {
  __tunable unsigned p;
  size_t len = out.size();
  size_t tile = (len + p - 1) / p;
  map(fill<T>, value, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

template <class T>
__codelet __tag(strided) void fill(T value, Array<1, T> out) {
  __tunable unsigned p;
  map(fill<T>, value, partition(out, p, sequence(0, 1, p), sequence(p), sequence(out.size())));
}
