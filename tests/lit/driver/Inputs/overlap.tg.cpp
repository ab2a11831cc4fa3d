// Parts that share their last element with the next one; and what one call of a row does to the others.
#include <tangram/tangram.h>

__spectrum void clear(Array<1, int> part);
__codelet void clear(Array<1, int> part) {
  for (size_t i = 0; i < part.size(); ++i) part[i] = 0;
}

__spectrum void all(Array<1, int> out);
__codelet __tag(parts) void all(Array<1, int> out) {
  __tunable unsigned p;
  size_t len = out.size(), tile = (len + p - 1) / p;
  map(clear, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile + 1, tile, len)));
}
