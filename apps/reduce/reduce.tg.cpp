// Reductions beyond the hello-world: dot product, maximum, position of the minimum.
#include "../common/argmin.tg.h"
#include "../common/dot.tg.h"

// ---- max: of an empty container, the least value of T ---------------------------------------------------

template <class T>
__spectrum T maximum(const Array<1, T> in, T least);

template <class T>
__codelet __tag(serial) T maximum(const Array<1, T> in, T least) {
  T best = least;
  for (size_t i = 0; i < in.size(); ++i)
    best = in[i] > best ? in[i] : best;
  return best;
}

template <class T>
__codelet __coop __tag(tree) T maximum(const Array<1, T> in, T least) {
  __shared T tmp[coopDim()];
  size_t id = coopIdx();
  tmp[id] = id < in.size() && in[id] > least ? in[id] : least;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2) {
    if (id < s)
      tmp[id] = tmp[id + s] > tmp[id] ? tmp[id + s] : tmp[id];
  }
  return tmp[0];
}

template <class T>
__codelet __tag(adjacent) T maximum(const Array<1, T> in, T least) {
  __tunable unsigned p;
  size_t len = in.size();
  size_t tile = (len + p - 1) / p;
  return maximum(map(maximum<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), least),
                 least);
}

template <class T>
__codelet __tag(strided) T maximum(const Array<1, T> in, T least) {
  __tunable unsigned p;
  return maximum(map(maximum<T>, partition(in, p, sequence(0, 1, p), sequence(p), sequence(in.size())), least), least);
}
