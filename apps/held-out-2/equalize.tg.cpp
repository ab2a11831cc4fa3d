// A picture of red, green and blue bytes in gray, with its histogram equalised.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void equalize(const Array<3, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == 3);

__codelet void equalize(const Array<3, uint8_t> in, Array<2, uint8_t> out) {
  size_t height = out.size(0), width = out.size(1);
  Array<1, int> histogram(256);
  for (int g = 0; g < 256; ++g) histogram[g] = 0;
  for (size_t i = 0; i < height; ++i)
    for (size_t j = 0; j < width; ++j) {
      out[i][j] = (77 * in[i][j][0] + 150 * in[i][j][1] + 29 * in[i][j][2]) / 256;
      histogram[out[i][j]] += 1;
    }
  int first = 0;
  while (first < 255 && histogram[first] == 0) ++first;
  int rest = std::max(int(height * width) - histogram[first], 1);
  Array<1, uint8_t> level(256);
  int sum = 0;
  for (int g = 0; g < 256; ++g) {
    if (g > first) sum += histogram[g];
    level[g] = sum * 255L / rest;
  }
  for (size_t i = 0; i < height; ++i)
    for (size_t j = 0; j < width; ++j) out[i][j] = level[out[i][j]];
}
