#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet
int sum(const Array<1, int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(halves)
int sum(const Array<1, int> in) {
  __tunable(values(2)) unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}
