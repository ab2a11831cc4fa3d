// Work that grows with the square of the input.
#include <tangram/tangram.h>

__spectrum void pairs(const Array<1, float> x, Array<1, float> out) __requires(x.size() == out.size());

__codelet void pairs(const Array<1, float> x, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (size_t j = 0; j < x.size(); ++j) sum += (x[j] - x[i]) * (x[j] - x[i]);
    out[i] = sum;
  }
}
