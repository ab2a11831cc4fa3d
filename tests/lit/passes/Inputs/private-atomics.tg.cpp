#include <tangram/tangram.h>

__spectrum void count(Array<1, int> bins, const Array<1, unsigned> in);
__codelet __tag(own) void count(Array<1, int> bins, const Array<1, unsigned> in) {
  Array<1, int> own(16);
  for (unsigned b = 0; b < 16; ++b) own[b] = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (atomicAdd(own[in[i] % 16], 1) == 7) atomicMax(own[0], 3);
  for (size_t i = 0; i < in.size() && atomicSub(own[1], 1) > 0; ++i) own[2] = 0;
  for (unsigned b = 0; b < 16; ++b) atomicAdd(bins[b], own[b]);
}

__spectrum void histogram(Array<1, int> bins, const Array<1, unsigned> in) __requires(bins.size() >= 16);
__codelet __tag(tiled) void histogram(Array<1, int> bins, const Array<1, unsigned> in) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  Array<1, int> all(16);
  for (unsigned b = 0; b < 16; ++b) all[b] = 0;
  map(count, all, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
  for (unsigned b = 0; b < 16; ++b) atomicAdd(bins[b], all[b]);
}

__spectrum void by_lanes(Array<1, int> bins, const Array<1, unsigned> in) __requires(bins.size() >= 16);
__codelet __coop void by_lanes(Array<1, int> bins, const Array<1, unsigned> in) {
  __shared int all[16];
  for (unsigned b = coopIdx(); b < 32; b += coopDim())
    if (b < 16) all[b] = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) atomicAdd(all[in[i] % 16], 1);
  for (unsigned b = coopIdx(); b < 16; b += coopDim()) atomicAdd(bins[b], all[b]);
}
__spectrum void by_bytes(Array<1, int> bins, const Array<1, unsigned char> in) __requires(bins.size() == 256);
__codelet __coop void by_bytes(Array<1, int> bins, const Array<1, unsigned char> in) {
  __shared int all[256];
  for (unsigned b = coopIdx(); b < 256; b += coopDim()) all[b] = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) atomicAdd(all[in[i]], 1);
  for (unsigned b = coopIdx(); b < 256; b += coopDim()) atomicAdd(bins[b], all[b]);
}
