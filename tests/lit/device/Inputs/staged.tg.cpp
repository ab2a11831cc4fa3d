#include <tangram/tangram.h>

__spectrum float dot(const Array<1, float> a, const Array<1, float> b) __requires(a.size() == b.size());

__codelet float dot(const Array<1, float> a, const Array<1, float> b) {
  float s = 0;
  for (size_t i = 0; i < a.size(); ++i)
    s += a[i] * b[i];
  return s;
}

// Each worker has a row, and all have x.
__spectrum void gemv(const Array<2, float> a, const Array<1, float> x, Array<1, float> y)
    __requires(a.size(0) == y.size()) __requires(a.size(1) == x.size());

__codelet __tag(rows) void gemv(const Array<2, float> a, const Array<1, float> x, Array<1, float> y) {
  y = map(dot, a, x);
}

__spectrum void twice(const Array<1, short> in, Array<1, short> out) __requires(in.size() == out.size());

__codelet __tag(serial) void twice(const Array<1, short> in, Array<1, short> out) {
  for (unsigned i = 0; i < in.size(); ++i)
    out[i] = in[i] * 2;
}

// Each worker has a tile, the last ones a shorter one or none.
__codelet __tag(tiles) void twice(const Array<1, short> in, Array<1, short> out) {
  size_t p = 1000, tile = (in.size() + p - 1) / p;
  map(twice, partition(in, p, sequence(0, tile, in.size()), sequence(1), sequence(tile, tile, in.size())),
      partition(out, p, sequence(0, tile, in.size()), sequence(1), sequence(tile, tile, in.size())));
}

// Neighbouring workers have neighbouring elements.
__codelet __tag(interleaved) void twice(const Array<1, short> in, Array<1, short> out) {
  size_t p = 1000;
  map(twice, partition(in, p, sequence(0, 1, p), sequence(p), sequence(in.size())),
      partition(out, p, sequence(0, 1, p), sequence(p), sequence(out.size())));
}
