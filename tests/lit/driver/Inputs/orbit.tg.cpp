// How long it takes, a number alone says.
#include <tangram/tangram.h>

__spectrum void orbit(unsigned steps, Array<1, float> x);

__codelet void orbit(unsigned steps, Array<1, float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    for (unsigned k = 0; k < steps; ++k) x[i] = 0.5f * x[i] + 1;
}
