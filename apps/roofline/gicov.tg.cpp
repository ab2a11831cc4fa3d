// Rodinia leukocyte: for each pixel the best circle by mean and variance of gradients on it.
// sizes: gx=1024x1024 dx=8x150
// least: bytes 1024*1024*12; operations 1024*1024*8*150*6
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void gicov(const Array<2, float> gx, const Array<2, float> gy, const Array<2, int> dx,
                      const Array<2, int> dy, const Array<1, float> sine, const Array<1, float> cosine,
                      Array<2, float> out) __requires(gy.size(0) == gx.size(0) && gy.size(1) == gx.size(1) &&
                                                      out.size(0) == gx.size(0) && out.size(1) == gx.size(1))
    __requires(dy.size(0) == dx.size(0) && dy.size(1) == dx.size(1) && sine.size() == dx.size(1) &&
               cosine.size() == dx.size(1));

__codelet void gicov(const Array<2, float> gx, const Array<2, float> gy, const Array<2, int> dx, const Array<2, int> dy,
                     const Array<1, float> sine, const Array<1, float> cosine, Array<2, float> out) {
  int rows = gx.size(0), columns = gx.size(1), circles = dx.size(0), points = dx.size(1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float best = 0;
      for (int c = 0; c < circles; ++c) {
        float sum = 0, squares = 0;
        int used = 0;
        for (int p = 0; p < points; ++p) {
          int y = i + dy[c][p], x = j + dx[c][p];
          if (y < 0 || y >= rows || x < 0 || x >= columns) continue;
          float g = gx[y][x] * cosine[p] + gy[y][x] * sine[p];
          sum += g;
          squares += g * g;
          ++used;
        }
        if (used < 2) continue;
        float mean = sum / used, variance = (squares - sum * mean) / (used - 1);
        if (variance > 0) best = std::max(best, mean * mean / variance);
      }
      out[i][j] = best;
    }
}
