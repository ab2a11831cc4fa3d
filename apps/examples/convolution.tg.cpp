// A convolution of a picture with 7 x 7 weights. `in` has a margin of 3 around what is written.
#include <tangram/tangram.h>

__spectrum void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out)
    __requires(in.size(0) == out.size(0) + 6 && in.size(1) == out.size(1) + 6)
    __requires(weights.size(0) == 7 && weights.size(1) == 7);

__codelet void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      float sum = 0;
      for (size_t r = 0; r < 7; ++r)
        for (size_t c = 0; c < 7; ++c) sum += weights[r][c] * in[i + r][j + c];
      out[i][j] = sum;
    }
}
