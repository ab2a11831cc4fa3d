// Scalars that loops which data ends add up, in a loop around them.
#include <tangram/tangram.h>

/// Common numbers of neighbouring sorted rows, what they add up to, and whether one is a multiple of seven.
struct Common {
  unsigned count;
  long sum;
  int bits;
  bool found;
};
__spectrum Common common(const Array<2, int> in);

__codelet Common common(const Array<2, int> in) {
  unsigned count = 0;
  long sum = 1;
  int bits = 3;
  bool found = false;
  for (size_t r = 0; r + 1 < in.size(0); ++r) {
    size_t i = 0, j = 0;
    while (i < in.size(1) && j < in.size(1)) {
      int a = in[r][i] % 64, b = in[r + 1][j] % 64;
      if (a == b) {
        ++count;
        sum += a;
        bits ^= a;
        if (a % 7 == 3) found = true;
      }
      if (a <= b) ++i;
      if (b <= a) ++j;
    }
  }
  return {count, sum, bits, found};
}

/// Until an element is too large: what is left early, and sums that round.
__spectrum float until(int limit, const Array<2, int> in, const Array<1, float> weight, Array<1, int> least)
    __requires(in.size(0) == weight.size() && least.size() == 1);

__codelet float until(int limit, const Array<2, int> in, const Array<1, float> weight, Array<1, int> least) {
  float sum = 0;
  int smallest = 1000000;
  for (size_t r = 0; r < in.size(0); ++r)
    for (size_t i = 0; i < in.size(1); ++i) {
      if (in[r][i] % 100 > limit % 100) break;
      sum += weight[r];
      smallest = smallest < in[r][i] ? smallest : in[r][i];
    }
  least[0] = smallest;
  return sum;
}

/// What is read, or set by two operators, stays where it is.
__spectrum int mixed(const Array<2, int> in, Array<1, int> out) __requires(out.size() == in.size(0));

__codelet int mixed(const Array<2, int> in, Array<1, int> out) {
  int both = 1, seen = 0;
  for (size_t r = 0; r < in.size(0); ++r) {
    size_t i = 0;
    while (i < in.size(1) && in[r][i] % 5 != 0) {
      both += in[r][i];
      both *= 3;
      ++seen;
      if (seen % 4 == 0) ++i;
      ++i;
    }
    out[r] = seen;
  }
  return both;
}
