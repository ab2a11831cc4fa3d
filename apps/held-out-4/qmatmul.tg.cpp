// A layer of a quantised network: products of rows of bytes are added up, scaled by a fixed-point number for each
// column of the result (of 31 bits), rounded, and cut to bytes again.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void qmatmul(const Array<2, int8_t> in, const Array<2, int8_t> weights, const Array<1, int> bias,
                        const Array<1, int> scale, Array<2, int8_t> out)
    __requires(in.size(1) == weights.size(1) && out.size(0) == in.size(0) && out.size(1) == weights.size(0))
        __requires(bias.size() == weights.size(0) && scale.size() == weights.size(0));

__codelet void qmatmul(const Array<2, int8_t> in, const Array<2, int8_t> weights, const Array<1, int> bias,
                       const Array<1, int> scale, Array<2, int8_t> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      int sum = bias[j];
      for (size_t k = 0; k < in.size(1); ++k) sum += int(in[i][k]) * int(weights[j][k]);
      int64_t scaled = (int64_t(sum) * scale[j] + (int64_t(1) << 30)) >> 31;
      out[i][j] = int8_t(std::clamp(int(scaled), -128, 127));
    }
}
