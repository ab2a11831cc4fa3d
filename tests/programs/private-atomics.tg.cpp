// Atomic operations on memory that one worker has for itself: they become plain ones. Each is done beside one that
// must stay: on the container that all of them add up in.
#include <tangram/tangram.h>

__spectrum void histogram(Array<1, int> bins, const Array<1, unsigned char> in) __requires(bins.size() == 256);

__codelet __tag(plain) void histogram(Array<1, int> bins, const Array<1, unsigned char> in) {
  for (size_t i = 0; i < in.size(); ++i) atomicAdd(bins[in[i]], 1);
}
__codelet __tag(own) void histogram(Array<1, int> bins, const Array<1, unsigned char> in) {
  Array<1, int> own(256);
  for (unsigned b = 0; b < 256; ++b) own[b] = 0;
  for (size_t i = 0; i < in.size(); ++i) atomicAdd(own[in[i]], 1);
  for (unsigned b = 0; b < 256; ++b) atomicAdd(bins[b], own[b]);
}
__codelet __tag(tiled) void histogram(Array<1, int> bins, const Array<1, unsigned char> in) {
  __tunable unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  map(histogram, bins, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

// Every operation, with and without its value; sums wrap around.
__spectrum long long fold(const Array<1, int> in);
__spectrum void fold_all(Array<1, long long> out, const Array<2, int> in) __requires(out.size() == in.size(0));

__codelet long long fold(const Array<1, int> in) {
  Array<1, int> sum(2), extremes(2);
  sum[0] = 2147483600;
  sum[1] = 1;
  extremes[0] = extremes[1] = 0;
  Array<1, unsigned> bits(3);
  bits[0] = 0xffff0fffu;
  bits[1] = 0;
  bits[2] = 5;
  Array<1, double> real(1);
  real[0] = 0;
  long long seen = 0;
  for (unsigned i = 0; i < in.size(); ++i) {
    int x = in[i] % 1000;
    seen += atomicAdd(sum[0], 1000 + x);
    atomicSub(sum[0], 3);
    atomicAnd(bits[0], ~(1u << (x & 31)));
    atomicOr(bits[1], 1u << (x & 31));
    atomicXor(bits[2], (unsigned)x);
    atomicMin(extremes[0], x);
    atomicMax(extremes[1], x);
    int before = atomicExchange(sum[1], x);
    seen += before;
    if (atomicCompareExchange(sum[1], 3, before) == 3) ++seen;
    atomicAdd(real[0], 2);
  }
  return seen + sum[0] + sum[1] + bits[0] + bits[1] + bits[2] + extremes[0] + 7LL * extremes[1] + (long long)real[0];
}
__codelet __tag(rows) void fold_all(Array<1, long long> out, const Array<2, int> in) { out = map(fold, in); }

// Types that are narrower than what C++ adds in.
__spectrum int narrow(const Array<1, int> in);
__codelet int narrow(const Array<1, int> in) {
  Array<1, unsigned char> small(2);
  small[0] = 250;
  small[1] = 3;
  Array<1, signed char> tiny(1);
  tiny[0] = -100;
  int seen = 0;
  for (unsigned i = 0; i < in.size(); ++i) {
    seen ^= atomicAdd(small[in[i] & 1], 7);
    atomicSub(tiny[0], 9);
  }
  return seen + small[0] + 3 * small[1] + 5 * tiny[0];
}

// A place that an operation finds: where each key's elements go.
__spectrum void by_key(Array<1, unsigned> order, const Array<1, unsigned char> keys)
    __requires(order.size() == keys.size());

__codelet void by_key(Array<1, unsigned> order, const Array<1, unsigned char> keys) {
  Array<1, unsigned> next(257);
  for (unsigned b = 0; b <= 256; ++b) next[b] = 0;
  for (size_t i = 0; i < keys.size(); ++i) atomicAdd(next[keys[i] + 1u], 1u);
  for (unsigned b = 0; b < 256; ++b) next[b + 1] += next[b];
  for (size_t i = 0; i < keys.size(); ++i) order[atomicAdd(next[keys[i]], 1u)] = i;
}
