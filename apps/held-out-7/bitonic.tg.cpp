// Batcher's bitonic sort, in place, of a power of two of numbers.
#include <tangram/tangram.h>

__spectrum void bitonic(Array<1, unsigned> a) __requires((a.size() & (a.size() - 1)) == 0);

__codelet void bitonic(Array<1, unsigned> a) {
  size_t n = a.size();
  for (size_t k = 2; k <= n; k *= 2)
    for (size_t j = k / 2; j > 0; j /= 2)
      for (size_t i = 0; i < n; ++i) {
        size_t partner = i ^ j;
        if (partner > i) {
          bool rises = (i & k) == 0;
          if (rises ? a[i] > a[partner] : a[i] < a[partner]) {
            unsigned t = a[i];
            a[i] = a[partner];
            a[partner] = t;
          }
        }
      }
}
