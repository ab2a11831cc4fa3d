// A matrix of bytes, of which each row has a scale and a zero point, times a vector.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void q8gemv(const Array<2, uint8_t> weights, const Array<1, float> scale, const Array<1, uint8_t> zero,
                       const Array<1, float> x, Array<1, float> y)
    __requires(weights.size(0) == y.size() && weights.size(1) == x.size())
        __requires(scale.size() == y.size() && zero.size() == y.size());

__codelet void q8gemv(const Array<2, uint8_t> weights, const Array<1, float> scale, const Array<1, uint8_t> zero,
                      const Array<1, float> x, Array<1, float> y) {
  for (size_t i = 0; i < weights.size(0); ++i) {
    float sum = 0;
    for (size_t j = 0; j < weights.size(1); ++j) sum += (weights[i][j] - zero[i]) * x[j];
    y[i] = scale[i] * sum;
  }
}
