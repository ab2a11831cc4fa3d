// The tiled codelet reads an element behind each of its parts.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet
int sum(const Array<1, int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(eager)
int sum(const Array<1, int> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  int parts = sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
  int behind = in[len];
  return parts + behind - behind;
}
