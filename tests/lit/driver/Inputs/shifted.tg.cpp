// One container is passed for what is read and for what is written, at other places and at the same.
#include <tangram/tangram.h>

__spectrum void shift(const Array<1, float> x, Array<1, float> y);
__codelet void shift(const Array<1, float> x, Array<1, float> y) {
  for (size_t i = 1; i < y.size(); ++i) y[i] = x[i - 1];
}

__spectrum void twice(const Array<1, float> x, Array<1, float> y);
__codelet void twice(const Array<1, float> x, Array<1, float> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
}

__spectrum void smear(Array<1, float> y);
__codelet void smear(Array<1, float> y) { shift(y, y); }

__spectrum void grow(Array<1, float> y);
__codelet void grow(Array<1, float> y) { twice(y, y); }
