// Numbers of one and two bytes, computed with in four, of which most fit in less.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <tangram/tangram.h>

// Sums that fit two bytes, without a sign: weights add up to 256.
__spectrum void gray(const Array<2, uint8_t> in, Array<1, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == 3);
__codelet void gray(const Array<2, uint8_t> in, Array<1, uint8_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    int weighted = 77 * in[i][0] + 150 * in[i][1];
    out[i] = uint8_t((weighted + 29 * in[i][2]) >> 8);
  }
}

// Differences have a sign; how many there are is counted in a loop, on a condition.
__spectrum void edges(const Array<1, uint8_t> in, Array<1, uint8_t> out) __requires(in.size() == out.size());
__codelet void edges(const Array<1, uint8_t> in, Array<1, uint8_t> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int count = 0, least = in[i] - 300;
    for (int k = -2; k <= 2; ++k) {
      int difference = in[std::clamp(i + k, 0, n - 1)] - in[i];
      if (difference > 10 || -difference > 10) ++count;
      least = std::max(least, difference * 2);
    }
    out[i] = uint8_t(count * 50 + least);
  }
}

// What fits no two bytes: a sum of many, a product, what is taken from nothing without a sign, a number that each turn
// doubles, and one that wraps around in a byte of its own.
__spectrum void wide(const Array<1, uint8_t> in, const Array<1, short> shorts, Array<1, short> out)
    __requires(in.size() == out.size() && shorts.size() == out.size());
__codelet void wide(const Array<1, uint8_t> in, const Array<1, short> shorts, Array<1, short> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int sum = 0, doubled = 1;
    unsigned below = 0;
    uint8_t wrapped = in[i];
    for (int k = 0; k < 300; ++k) sum += in[i];
    for (int k = 0; k < 20; ++k) doubled = doubled * 2 % 1000003;
    below -= in[i];
    wrapped = uint8_t(wrapped * 7 + 9);
    out[i] = short((sum >> 3) + shorts[i] * shorts[i] / 5 + int(below >> 20) + doubled + wrapped);
  }
}

// As wide as a vector of bytes, and not; bytes with a sign.
__spectrum void halved(const Array<1, signed char> a, const Array<1, uint8_t> b, Array<1, signed char> out)
    __requires(a.size() == out.size() && b.size() == out.size());
__codelet void halved(const Array<1, signed char> a, const Array<1, uint8_t> b, Array<1, signed char> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    int both = a[i] / 2 - (b[i] & 15);
    out[i] = both < -60 ? 1 : (both ^ 3) > 40 ? both : -both;
  }
}
