// Thousands of parts: parts of parts are millions, of which a container has so many elements hardly ever.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet
int sum(const Array<1, int> in) {
  unsigned len = in.size();
  int accum = 0;
  for (unsigned i = 0; i < len; ++i) {
    accum += in[i];
  }
  return accum;
}

__codelet __tag(tiled)
int sum(const Array<1, int> in) {
  __tunable(values(2048)) unsigned p;
  unsigned len = in.size();
  unsigned tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}
