// 2-D convolution with weights of any size, where the image covers them, in three languages: each output is a sum over
// the window that begins at its place. convolution.hidp and convolution.tk.c beside this file have the other two.
#include <tangram/tangram.h>

__spectrum void windows(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out);
__spectrum void tiles(int rows, int columns, int high, int wide, const Array<2, float> in,
                      const Array<2, float> weights, Array<2, float> out);

__spectrum void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out)
    __requires(in.size(0) == out.size(0) + weights.size(0)) __requires(in.size(1) == out.size(1) + weights.size(1));

__codelet __tag(loops) void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < weights.size(0); ++k)
        for (size_t l = 0; l < weights.size(1); ++l) sum += weights[k][l] * in[i + k][j + l];
      out[i][j] = sum;
    }
}

__codelet __tag(hidp) void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out) {
  windows(in, weights, out);
}

// The language counts in int.
__codelet __tag(tilek) void convolution(const Array<2, float> in, const Array<2, float> weights, Array<2, float> out)
    __requires(in.size(0) <= 2147483647) __requires(in.size(1) <= 2147483647) {
  tiles(out.size(0), out.size(1), weights.size(0), weights.size(1), in, weights, out);
}
