// The transform of Walsh and Hadamard, in place.
#include <tangram/tangram.h>

__spectrum void butterflies(Array<1, int> a) __requires((a.size() & (a.size() - 1)) == 0);

__codelet void butterflies(Array<1, int> a) {
  for (size_t m = 1; m < a.size(); m *= 2)
    for (size_t i = 0; i < a.size(); ++i)
      if ((i & m) == 0) {
        int x = a[i], y = a[i | m];
        a[i] = x + y;
        a[i | m] = x - y;
      }
}
