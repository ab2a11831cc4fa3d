// A container that is passed twice: alike in each call of the map below, or as a part and its whole.
#include <tangram/tangram.h>

__spectrum void twice(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet __tag(serial) void twice(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
}
__codelet __tag(tiled) void twice(const Array<1, float> in, Array<1, float> out) {
  __tunable unsigned p;
  size_t n = in.size(), tile = (n + p - 1) / p;
  map(twice, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(out, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}

__spectrum void add_first(const Array<1, float> in, Array<1, float> out);
__codelet __tag(plain) void add_first(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] += in[0];
}
__spectrum void add_firsts(const Array<1, float> in, Array<1, float> out);
__codelet __tag(parts) void add_firsts(const Array<1, float> in, Array<1, float> out) {
  __tunable unsigned p;
  size_t n = out.size(), tile = (n + p - 1) / p;
  map(add_first, in, partition(out, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}

__spectrum void alike(Array<1, float> x, Array<2, float> m);
__codelet void alike(Array<1, float> x, Array<2, float> m) {
  size_t half = x.size() / 2;
  auto halves = partition(x, 2, sequence(0, half, 2 * half), sequence(1), sequence(half, half, 2 * half));
  twice(x, x);
  map(twice, m, m);
  twice(halves[0], halves[1]);
#if defined(APART)
  add_firsts(halves[0], halves[1]);
#elif defined(WHOLE)
  add_firsts(x, x);
#elif defined(ROW)
  map(add_firsts, m, m);
#elif defined(SHIFTED)
  auto shifted = partition(x, 2, sequence(0, 1, 2), sequence(1), sequence(half, half, 2 * half));
  twice(shifted[0], shifted[1]);
#endif
}
