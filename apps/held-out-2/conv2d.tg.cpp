// A layer of a convolutional network: images of several channels (NCHW), 3 x 3 weights, a bias, zeros beyond the edges.
#include <tangram/tangram.h>

__spectrum void conv2d(const Array<4, float> in, const Array<4, float> weights, const Array<1, float> bias,
                       Array<4, float> out)
    __requires(weights.size(1) == in.size(1) && weights.size(2) == 3 && weights.size(3) == 3)
        __requires(out.size(0) == in.size(0) && out.size(1) == weights.size(0) && bias.size() == weights.size(0))
            __requires(out.size(2) == in.size(2) && out.size(3) == in.size(3));

__codelet void conv2d(const Array<4, float> in, const Array<4, float> weights, const Array<1, float> bias,
                      Array<4, float> out) {
  int channels = in.size(1), height = in.size(2), width = in.size(3);
  for (size_t n = 0; n < out.size(0); ++n)
    for (size_t k = 0; k < out.size(1); ++k)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          float sum = bias[k];
          for (int c = 0; c < channels; ++c)
            for (int r = 0; r < 3; ++r)
              for (int s = 0; s < 3; ++s) {
                int fromY = y + r - 1, fromX = x + s - 1;
                if (fromY >= 0 && fromY < height && fromX >= 0 && fromX < width)
                  sum += weights[k][c][r][s] * in[n][c][fromY][fromX];
              }
          out[n][k][y][x] = sum;
        }
}
