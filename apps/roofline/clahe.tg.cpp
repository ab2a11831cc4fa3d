// CLAHE: histograms of tiles, clipped and cumulated, and tables interpolated between tiles.
// sizes: in=4096x4096
// least: bytes 4096*4096*3; operations 4096*4096*15; launches 3
#include <algorithm>
#include <tangram/tangram.h>

constexpr int TILES = 16;
__spectrum void clahe(unsigned limit, const Array<2, unsigned char> in, Array<2, unsigned char> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && in.size(0) >= 16 && in.size(1) >= 16 &&
               limit > 0);

__codelet void clahe(unsigned limit, const Array<2, unsigned char> in, Array<2, unsigned char> out) {
  int rows = in.size(0), columns = in.size(1), th = rows / TILES, tw = columns / TILES;
  Array<3, unsigned> hist(TILES, TILES, 256);
  Array<3, float> table(TILES, TILES, 256);
  for (int ty = 0; ty < TILES; ++ty)
    for (int tx = 0; tx < TILES; ++tx) {
      for (int b = 0; b < 256; ++b) hist[ty][tx][b] = 0;
      for (int y = ty * th; y < (ty + 1) * th; ++y)
        for (int x = tx * tw; x < (tx + 1) * tw; ++x) hist[ty][tx][in[y][x]]++;
      unsigned excess = 0;
      for (int b = 0; b < 256; ++b)
        if (hist[ty][tx][b] > limit) {
          excess += hist[ty][tx][b] - limit;
          hist[ty][tx][b] = limit;
        }
      unsigned sum = 0;
      for (int b = 0; b < 256; ++b) {
        sum += hist[ty][tx][b] + excess / 256;
        table[ty][tx][b] = std::min(255.0f, sum * 255.0f / (th * tw));
      }
    }
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      float fy = (y + 0.5f) / th - 0.5f, fx = (x + 0.5f) / tw - 0.5f;
      int y0 = std::clamp(int(fy), 0, TILES - 1), x0 = std::clamp(int(fx), 0, TILES - 1);
      int y1 = std::min(y0 + 1, TILES - 1), x1 = std::min(x0 + 1, TILES - 1);
      float ay = std::clamp(fy - y0, 0.0f, 1.0f), ax = std::clamp(fx - x0, 0.0f, 1.0f);
      int v = in[y][x];
      out[y][x] = (1 - ay) * ((1 - ax) * table[y0][x0][v] + ax * table[y0][x1][v]) +
                  ay * ((1 - ax) * table[y1][x0][v] + ax * table[y1][x1][v]) + 0.5f;
    }
}
