#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet __tag(serial) int sum(const Array<1, int> in) {
  int accum = 0;
  for (size_t i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

// For eight elements at most, and wrong for more.
__codelet __tag(few) int sum(const Array<1, int> in) __requires(in.size() <= 8) {
  int tmp[8] = {}, accum = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (i < in.size()) tmp[i] = in[i];
  for (unsigned i = 0; i < 8; ++i) accum += tmp[i];
  return accum;
}

__codelet __tag(tiled) int sum(const Array<1, int> in) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}
