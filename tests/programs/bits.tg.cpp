// Functions of <bit> and of rounding beside what they mean, counted bit by bit.
#include <bit>
#include <cmath>
#include <cstdint>
#include <tangram/tangram.h>

template <typename T> int ones(T x) {
  int n = 0;
  for (unsigned b = 0; b < 8 * sizeof(T); ++b) n += int(x >> b & 1);
  return n;
}
template <typename T> int width(T x) {
  int n = 0;
  for (unsigned b = 0; b < 8 * sizeof(T); ++b)
    if (x >> b & 1) n = int(b) + 1;
  return n;
}
template <typename T> int below(T x) {
  int n = 0;
  for (unsigned b = 0; b < 8 * sizeof(T); ++b)
    if (n == int(b) && !(x >> b & 1)) n = int(b) + 1;
  return n;
}
template <typename T> int differing(T x) {
  int bits = 8 * sizeof(T);
  return (std::popcount(x) != ones(x)) + (std::countl_zero(x) != bits - width(x)) + (std::countr_zero(x) != below(x)) +
         (std::countl_one(x) != bits - width(T(~x))) + (std::countr_one(x) != below(T(~x))) +
         (std::bit_width(x) != width(x)) + (std::has_single_bit(x) != (ones(x) == 1));
}

/// Where functions and what they mean differ, of words, and of what is left of them in smaller types.
template <typename T> __spectrum int wrong(const Array<1, T> in);
template <typename T> __codelet int wrong(const Array<1, T> in) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i) n += differing(in[i]) + differing(T(in[i] << i % (8 * sizeof(T))));
  return n;
}

__spectrum int builtins(const Array<1, int> in);
__codelet int builtins(const Array<1, int> in) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned x = in[i] | 1;
    n += (__builtin_popcount(x) != ones(x)) + (__builtin_clz(x) != 32 - width(x)) + (__builtin_ctz(x) != below(x));
    n += __builtin_popcountll((unsigned long long)(x) << 31) != ones(x);
  }
  return n;
}

/// Of a pair of words, as of two marks of 32 bits each: how many differ.
__spectrum void distances(const Array<1, uint32_t> a, const Array<1, uint32_t> b, Array<2, int> out)
    __requires(out.size(0) == a.size() && out.size(1) == b.size());
__codelet void distances(const Array<1, uint32_t> a, const Array<1, uint32_t> b, Array<2, int> out) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) out[i][j] = std::popcount(a[i] ^ b[j]);
}

__spectrum int rounded(const Array<1, float> in);
__codelet int rounded(const Array<1, float> in) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    float x = 100 * in[i];
    n += (std::lround(x) != long(std::round(x))) + (std::llround(x) != (long long)(std::round(x)));
    n += (lrint(x) != long(rint(x))) + (lroundf(x) != long(roundf(x)));
  }
  return n;
}
