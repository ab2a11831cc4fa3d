// What is positive, in order, one after the other: each part has to know how many the parts before it keep.
#include "../../apps/common/sum.tg.h"

__spectrum int count_positive(const Array<1, int> in);

__codelet __tag(serial) int count_positive(const Array<1, int> in) {
  int count = 0;
  for (size_t i = 0; i < in.size(); ++i)
    count += in[i] > 0;
  return count;
}
__codelet __tag(tiles) int count_positive(const Array<1, int> in) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  return sum(map(count_positive, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

__spectrum void keep_from(const Array<1, int> in, int at, Array<1, int> out);
__codelet __tag(serial) void keep_from(const Array<1, int> in, int at, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > 0) {
      out[at] = in[i];
      ++at;
    }
}

// Adds on both ways; that one call has nothing to add does not break the chain.
__spectrum void keep_part(const Array<1, int> in, Array<1, int> kept, Array<1, int> out);
__codelet void keep_part(const Array<1, int> in, Array<1, int> kept, Array<1, int> out) {
  if (in.size() > 0) {
    int at = orderedAdd(kept[0], count_positive(in));
    keep_from(in, at, out);
  } else {
    orderedAdd(kept[0], 0);
  }
}

// kept[0]: where to begin, and where it ends.
__spectrum void keep_positive(const Array<1, int> in, Array<1, int> kept, Array<1, int> out)
    __requires(kept.size() == 1) __requires(in.size() == out.size());
// What a call keeps begins where the one before it ends.
__codelet __independent void keep_positive(const Array<1, int> in, Array<1, int> kept, Array<1, int> out) {
  __tunable(values(4, 16, 64)) unsigned tile;
  size_t len = in.size(), tiles = (len + tile - 1) / tile;
  kept[0] = 0;
  map(keep_part, partition(in, tiles, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), kept, out);
}
