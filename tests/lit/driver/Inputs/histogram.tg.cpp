#include <tangram/tangram.h>
__spectrum void hist(const Array<1, unsigned> in, Array<1, unsigned> bins) __requires(bins.size() == 16);
__codelet __tag(serial) void hist(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  for (size_t i = 0; i < in.size(); ++i) atomicAdd(bins[in[i] % 16], 1);
}
__codelet __tag(tiled) void hist(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  map(hist, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), bins);
}
