// A picture at twice the size, by bilinear interpolation between the centers of its pixels.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void upsample(const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == 2 * in.size(0) && out.size(1) == 2 * in.size(1));

__codelet void upsample(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      float y = std::max(0.5f * i - 0.25f, 0.0f), x = std::max(0.5f * j - 0.25f, 0.0f);
      size_t top = y, left = x;
      size_t bottom = std::min(top + 1, in.size(0) - 1), right = std::min(left + 1, in.size(1) - 1);
      float down = y - top, across = x - left;
      float above = in[top][left] + across * (in[top][right] - in[top][left]);
      float below = in[bottom][left] + across * (in[bottom][right] - in[bottom][left]);
      out[i][j] = above + down * (below - above);
    }
}
