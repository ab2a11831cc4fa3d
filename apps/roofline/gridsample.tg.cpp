// grid_sample: bilinear samples of feature maps at coordinates in [-1, 1], zeros outside.
// sizes: in=16x64x128x128 grid=16x128x128x2 out=16x64x128x128
// least: bytes 16*64*128*128*8+16*128*128*8; operations 16*64*128*128*8; launches 1
#include <cmath>
#include <tangram/tangram.h>

float pixel(const Array<4, float> &in, int n, int c, int y, int x) {
  if (y < 0 || x < 0 || y >= (int)in.size(2) || x >= (int)in.size(3)) return 0;
  return in[n][c][y][x];
}

__spectrum void gridsample(const Array<4, float> in, const Array<4, float> grid, Array<4, float> out)
    __requires(grid.size(0) == in.size(0) && out.size(0) == in.size(0) && out.size(1) == in.size(1) &&
               out.size(2) == grid.size(1) && out.size(3) == grid.size(2) && grid.size(3) == 2);

__codelet void gridsample(const Array<4, float> in, const Array<4, float> grid, Array<4, float> out) {
  for (unsigned n = 0; n < out.size(0); ++n)
    for (unsigned c = 0; c < out.size(1); ++c)
      for (unsigned i = 0; i < out.size(2); ++i)
        for (unsigned j = 0; j < out.size(3); ++j) {
          float x = ((grid[n][i][j][0] + 1) * in.size(3) - 1) / 2;
          float y = ((grid[n][i][j][1] + 1) * in.size(2) - 1) / 2;
          int left = (int)std::floor(x), top = (int)std::floor(y);
          float fx = x - left, fy = y - top;
          out[n][c][i][j] = (1 - fy) * ((1 - fx) * pixel(in, n, c, top, left) + fx * pixel(in, n, c, top, left + 1)) +
                            fy * ((1 - fx) * pixel(in, n, c, top + 1, left) + fx * pixel(in, n, c, top + 1, left + 1));
        }
}
