#include <tangram/tangram.h>

__spectrum float sum(const Array<1, float> in);

__codelet
float sum(const Array<1, float> in) {
  float accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(halves)
float sum(const Array<1, float> in) {
  __tunable(values(2)) unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}
