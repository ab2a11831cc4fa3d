// Erosion of a grey picture: of each point the darkest one of the square around it.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void erode(int radius, const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(radius >= 0 && out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void erode(int radius, const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  int height = in.size(0), width = in.size(1);
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      int least = 255;
      for (int y = std::max(i - radius, 0); y <= std::min(i + radius, height - 1); ++y)
        for (int x = std::max(j - radius, 0); x <= std::min(j + radius, width - 1); ++x)
          least = std::min(least, int(in[y][x]));
      out[i][j] = least;
    }
}
