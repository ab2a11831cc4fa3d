// Counts values. What is defined says which codelets there are, and what is promised.
#include <tangram/tangram.h>

__spectrum void count(unsigned value, Array<1, unsigned> bins);

__codelet __tag(plain) void count(unsigned value, Array<1, unsigned> bins) {
  bins[value % 64] += 1;
}

#ifdef ATOMIC
__codelet __tag(atomic) void count(unsigned value, Array<1, unsigned> bins) {
  atomicAdd(bins[value % 64], 1u);
}
#endif

#ifndef PROMISED
#define PROMISED
#endif

__spectrum void histogram(const Array<1, unsigned> in, Array<1, unsigned> bins) __requires(bins.size() == 64);

__codelet PROMISED __tag(values) void histogram(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  map(count, in, bins);
}

#ifdef PARTS
__codelet __tag(parts) void histogram(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  map(histogram, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), bins);
}
#endif

#ifdef SERIAL
__codelet __tag(serial) void histogram(const Array<1, unsigned> in, Array<1, unsigned> bins) {
  for (size_t i = 0; i < in.size(); ++i) bins[in[i] % 64] += 1;
}
#endif
