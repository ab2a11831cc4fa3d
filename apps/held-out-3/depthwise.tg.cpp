// A depthwise convolution as of MobileNet: each channel of an image (NHWC) with 3 x 3 weights of its own, zeros around.
#include <tangram/tangram.h>

__spectrum void depthwise(const Array<4, float> in, const Array<3, float> weights, Array<4, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1))
        __requires(out.size(2) == in.size(2) && out.size(3) == in.size(3))
            __requires(weights.size(0) == 3 && weights.size(1) == 3 && weights.size(2) == in.size(3));

__codelet void depthwise(const Array<4, float> in, const Array<3, float> weights, Array<4, float> out) {
  int height = in.size(1), width = in.size(2);
  for (size_t n = 0; n < in.size(0); ++n)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (size_t c = 0; c < in.size(3); ++c) {
          float sum = 0;
          for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
              int i = y + r - 1, j = x + s - 1;
              if (i >= 0 && i < height && j >= 0 && j < width) sum += weights[r][s][c] * in[n][i][j][c];
            }
          out[n][y][x][c] = sum;
        }
}
