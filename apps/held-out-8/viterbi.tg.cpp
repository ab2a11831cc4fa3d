// Viterbi's decoder of a convolutional code (rate 1/2, constraint length 7, polynomials 171 and 133) for many frames of
// soft bits: positive numbers are likely ones.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void viterbi(const Array<3, int8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == 2);

bool odd(unsigned x) {
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return x & 1;
}

__codelet void viterbi(const Array<3, int8_t> in, Array<2, uint8_t> out) {
  size_t frames = out.size(0), bits = out.size(1);
  Array<2, uint64_t> choice(frames, bits);
  for (size_t f = 0; f < frames; ++f) {
    int cost[64], next[64];
    for (unsigned s = 0; s < 64; ++s) cost[s] = s == 0 ? 0 : 1000000;
    for (size_t t = 0; t < bits; ++t) {
      int a = in[f][t][0], b = in[f][t][1];
      uint64_t upper = 0;
      for (unsigned s = 0; s < 64; ++s) {
        unsigned low = s >> 1, high = low | 32;
        unsigned one = low << 1 | (s & 1), other = high << 1 | (s & 1);
        int from_low = cost[low] + (odd(one & 0171) ? -a : a) + (odd(one & 0133) ? -b : b);
        int from_high = cost[high] + (odd(other & 0171) ? -a : a) + (odd(other & 0133) ? -b : b);
        if (from_high < from_low) {
          next[s] = from_high;
          upper |= uint64_t(1) << s;
        } else
          next[s] = from_low;
      }
      choice[f][t] = upper;
      for (unsigned s = 0; s < 64; ++s) cost[s] = next[s];
    }
    unsigned state = 0;
    for (unsigned s = 1; s < 64; ++s)
      if (cost[s] < cost[state]) state = s;
    for (size_t t = bits; t > 0; --t) {
      out[f][t - 1] = state & 1;
      state = state >> 1 | (choice[f][t - 1] >> state & 1) << 5;
    }
  }
}
