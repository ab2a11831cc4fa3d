// A picture in another size, by cubic interpolation (Catmull and Rom) of the 16 points around each place.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void bicubic(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) > 0 && in.size(1) > 0 && out.size(0) > 0 && out.size(1) > 0);

float cubic(float x) {
  x = std::abs(x);
  if (x < 1) return (1.5f * x - 2.5f) * x * x + 1;
  if (x < 2) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return 0;
}

__codelet void bicubic(const Array<2, float> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  float down = float(rows) / out.size(0), across = float(columns) / out.size(1);
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      float y = (i + 0.5f) * down - 0.5f, x = (j + 0.5f) * across - 0.5f;
      int top = std::floor(y), left = std::floor(x);
      float sum = 0;
      for (int r = -1; r <= 2; ++r) {
        float line = 0;
        for (int c = -1; c <= 2; ++c)
          line += cubic(x - (left + c)) * in[std::clamp(top + r, 0, rows - 1)][std::clamp(left + c, 0, columns - 1)];
        sum += cubic(y - (top + r)) * line;
      }
      out[i][j] = sum;
    }
}
