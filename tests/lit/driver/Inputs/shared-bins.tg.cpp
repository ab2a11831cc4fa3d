// Two ways to count values, of which one goes over blocks of rows that a group counts in memory that its lanes share.
#include <tangram/tangram.h>

__spectrum void count_rows(const Array<1, unsigned> in, Array<1, unsigned> bins);

__spectrum void count(const Array<1, unsigned> in, Array<1, unsigned> bins);

__codelet __tag(serial) void count_rows(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  for (size_t i = 0; i < in.size(); ++i)
    atomicAdd(bins[in[i] % 64], 1u);
}

__codelet __coop __tag(shared) void count_rows(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  __shared unsigned own[64];
  for (unsigned b = coopIdx(); b < 64; b += coopDim()) own[b] = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) {
    unsigned value = in[i];
    for (unsigned digit = 0; digit < 4; ++digit) atomicAdd(own[value >> (8 * digit) & 63], 1u);
  }
  for (unsigned b = coopIdx(); b < 64; b += coopDim()) atomicAdd(bins[b], own[b]);
}

__codelet __tag(adjacent) void count(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  map(count, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), bins);
}

__codelet __tag(rows) void count(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  size_t len = in.size(), parts = (len + 1023) / 1024;
  map(count_rows, partition(in, parts, sequence(0, 1024, len), sequence(1), sequence(1024, 1024, len)), bins);
}

__codelet __tag(all) void count(const Array<1, unsigned> in, Array<1, unsigned> bins) { count_rows(in, bins); }
