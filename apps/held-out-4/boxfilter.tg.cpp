// A picture of bytes, each the mean of the square around it, by sums that slide along rows and then down columns; what
// would be outside does not count.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void boxfilter(int radius, const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void boxfilter(int radius, const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  int height = in.size(0), width = in.size(1);
  Array<2, int> sums(height, width);
  for (int y = 0; y < height; ++y) {
    int sum = 0;
    for (int x = 0; x < std::min(radius, width); ++x) sum += in[y][x];
    for (int x = 0; x < width; ++x) {
      if (x + radius < width) sum += in[y][x + radius];
      if (x - radius > 0) sum -= in[y][x - radius - 1];
      sums[y][x] = sum;
    }
  }
  for (int x = 0; x < width; ++x) {
    int columns = std::min(x + radius, width - 1) - std::max(x - radius, 0) + 1;
    int sum = 0;
    for (int y = 0; y < std::min(radius, height); ++y) sum += sums[y][x];
    for (int y = 0; y < height; ++y) {
      if (y + radius < height) sum += sums[y + radius][x];
      if (y - radius > 0) sum -= sums[y - radius - 1][x];
      int area = columns * (std::min(y + radius, height - 1) - std::max(y - radius, 0) + 1);
      out[y][x] = uint8_t((sum + area / 2) / area);
    }
  }
}
