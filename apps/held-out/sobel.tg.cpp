// The magnitude of a picture's gradient by Sobel: of its inner pixels.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void sobel(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void sobel(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j) {
      float dx = in[i - 1][j + 1] + 2 * in[i][j + 1] + in[i + 1][j + 1] -
                 (in[i - 1][j - 1] + 2 * in[i][j - 1] + in[i + 1][j - 1]);
      float dy = in[i + 1][j - 1] + 2 * in[i + 1][j] + in[i + 1][j + 1] -
                 (in[i - 1][j - 1] + 2 * in[i - 1][j] + in[i - 1][j + 1]);
      out[i][j] = std::sqrt(dx * dx + dy * dy);
    }
}
