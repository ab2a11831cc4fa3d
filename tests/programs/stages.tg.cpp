// Loops that count by what is no number: butterflies, trees of sums, and steps that a caller says.
#include <cstdint>
#include <tangram/tangram.h>

// Butterflies of twice as many elements in each stage, as far as there are.
__spectrum void butterflies(Array<1, unsigned> x);
__codelet void butterflies(Array<1, unsigned> x) {
  size_t n = x.size();
  for (size_t length = 1; length < n; length *= 2)
    for (size_t first = 0; first < n; first += 2 * length)
      for (size_t k = first; k < first + length; ++k)
        if (k + length < n) {
          unsigned a = x[k], b = x[k + length];
          x[k] = a + b;
          x[k + length] = a - b;
        }
}

// The same by another type and shape.
__spectrum void halves(Array<1, unsigned> x);
__codelet void halves(Array<1, unsigned> x) {
  int n = int(x.size());
  for (int length = 2; length < 2 * n; length <<= 1)
    for (int i = 0; i < n; i += length)
      for (int j = 0; j < length / 2; ++j)
        if (i + j + length / 2 < n) x[i + j] += 3 * x[i + j + length / 2];
}

// A tree of sums up, and down again: exclusive sums, where there are as many as a power of two.
__spectrum void tree(Array<1, unsigned> x);
__codelet void tree(Array<1, unsigned> x) {
  size_t n = x.size();
  if (n > 0) {
    for (size_t d = 1; d < n; d *= 2)
      for (size_t i = 2 * d - 1; i < n; i += 2 * d) x[i] += x[i - d];
    x[n - 1] = 0;
    for (size_t d = n / 2; d > 0; d /= 2)
      for (size_t i = 2 * d - 1; i < n; i += 2 * d) {
        unsigned left = x[i - d];
        x[i - d] = x[i];
        x[i] += left;
      }
  }
}

// From where the caller says, by steps that he says; also down, by an unsigned number that wraps around.
__spectrum void strided(size_t first, size_t step, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == out.size() && step > 0);
__codelet void strided(size_t first, size_t step, const Array<1, int> in, Array<1, int> out) {
  for (size_t i = first; i < in.size(); i += step) out[i] = in[i] + int(i);
}
__spectrum void narrow(uint32_t first, uint32_t step, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == out.size() && in.size() < 1000000000 && step > 0);
__codelet void narrow(uint32_t first, uint32_t step, const Array<1, int> in, Array<1, int> out) {
  for (uint32_t i = first; i < in.size(); i += step) out[i] = in[i] - int(i);
}

// Blocks that overlap: each reads what the one before has written.
__spectrum void overlapping(size_t step, Array<1, unsigned> x) __requires(step > 0);
__codelet void overlapping(size_t step, Array<1, unsigned> x) {
  size_t n = x.size();
  for (size_t first = 0; first < n; first += step)
    for (size_t k = first; k < first + step; ++k)
      if (k + 1 < n) x[k + 1] += x[k] % 7;
}
