// Sums of segments of gathered elements: arguments whose contents must be valid.
#include <tangram/tangram.h>

__spectrum float total(const Array<1, unsigned> index, const Array<1, float> x);

__codelet float total(const Array<1, unsigned> index, const Array<1, float> x) {
  float accum = 0;
  for (size_t i = 0; i < index.size(); ++i)
    accum += x[index[i]];
  return accum;
}

__spectrum void segments(const Array<1, int> bounds, const Array<1, unsigned> index, const Array<1, float> x,
                         unsigned first, Array<1, float> y) __requires(bounds.size() == y.size() + 1);

__codelet void segments(const Array<1, int> bounds, const Array<1, unsigned> index, const Array<1, float> x,
                        unsigned first, Array<1, float> y) {
  size_t n = y.size();
  y = map(total, partition(index, n, sequence(bounds, 0, 1, n), sequence(1), sequence(bounds, 1, 1, n + 1)), x);
  if (n > 0)
    y[0] += x[first];
}
