// Max pooling of images (NCHW): the greatest of 3 x 3 numbers around every second one, as behind ResNet's first layer.
#include <algorithm>
#include <limits>
#include <tangram/tangram.h>

__spectrum void maxpool(const Array<4, float> in, Array<4, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1))
        __requires(out.size(2) == (in.size(2) + 1) / 2 && out.size(3) == (in.size(3) + 1) / 2);

__codelet void maxpool(const Array<4, float> in, Array<4, float> out) {
  int height = in.size(2), width = in.size(3);
  for (size_t n = 0; n < out.size(0); ++n)
    for (size_t c = 0; c < out.size(1); ++c)
      for (int y = 0; y < int(out.size(2)); ++y)
        for (int x = 0; x < int(out.size(3)); ++x) {
          float most = std::numeric_limits<float>::lowest();
          for (int i = 2 * y - 1; i <= 2 * y + 1; ++i)
            for (int j = 2 * x - 1; j <= 2 * x + 1; ++j)
              if (i >= 0 && i < height && j >= 0 && j < width) most = std::max(most, in[n][c][i][j]);
          out[n][c][y][x] = most;
        }
}
