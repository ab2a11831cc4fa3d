// A picture of bytes, each the median of the 3 x 3 around it; what would be outside is the nearest one inside.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void median(const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void median(const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      uint8_t v[9];
      for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s)
          v[3 * r + s] = in[std::clamp(y + r - 1, 0, height - 1)][std::clamp(x + s - 1, 0, width - 1)];
      for (int i = 0; i < 5; ++i)
        for (int j = i + 1; j < 9; ++j)
          if (v[j] < v[i]) std::swap(v[i], v[j]);
      out[y][x] = v[4];
    }
}
