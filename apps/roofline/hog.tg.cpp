// Histograms of oriented gradients (HOG): cells of 8 x 8 points with 9 directions, each gradient shared by two of them,
// then blocks of 2 x 2 cells normalised.
// sizes: in=8192x8192 feature=1023x1023x36
// least: bytes 8192*8192+1023*1023*36*4; operations 8192*8192*30; launches 2
#include <cmath>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void hog(const Array<2, uint8_t> in, Array<3, float> feature)
    __requires(in.size(0) % 8 == 0 && in.size(1) % 8 == 0 && in.size(0) >= 16 && in.size(1) >= 16)
        __requires(feature.size(0) == in.size(0) / 8 - 1 && feature.size(1) == in.size(1) / 8 - 1 &&
                   feature.size(2) == 36);

__codelet void hog(const Array<2, uint8_t> in, Array<3, float> feature) {
  int rows = in.size(0), columns = in.size(1), cy = rows / 8, cx = columns / 8;
  Array<3, float> cell(cy, cx, 9);
  for (int i = 0; i < cy; ++i)
    for (int j = 0; j < cx; ++j)
      for (int b = 0; b < 9; ++b) cell[i][j][b] = 0;
  for (int y = 1; y < rows - 1; ++y)
    for (int x = 1; x < columns - 1; ++x) {
      float gx = in[y][x + 1] - in[y][x - 1], gy = in[y + 1][x] - in[y - 1][x];
      float size = std::sqrt(gx * gx + gy * gy), angle = std::atan2(gy, gx);
      if (angle < 0) angle += 3.14159265f;
      float place = angle * (9 / 3.14159265f) - 0.5f;
      int low = std::floor(place);
      float part = place - low;
      cell[y / 8][x / 8][(low + 9) % 9] += size * (1 - part);
      cell[y / 8][x / 8][(low + 1) % 9] += size * part;
    }
  for (int i = 0; i < cy - 1; ++i)
    for (int j = 0; j < cx - 1; ++j) {
      float v[36], norm = 1e-3f;
      int count = 0;
      for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 2; ++s)
          for (int b = 0; b < 9; ++b) {
            v[count] = cell[i + r][j + s][b];
            norm += v[count] * v[count];
            ++count;
          }
      for (int f = 0; f < 36; ++f) feature[i][j][f] = v[f] / std::sqrt(norm);
    }
}
