// A deformable convolution (3 x 3): each tap reads where its offset says, between four points, times a modulation.
// sizes: in=8x256x64x64 w=256x256x3x3
// least: bytes 8*256*64*64*8+8*27*64*64*4; operations 8*256*64*64*256*9*2; launches 2
#include <cmath>
#include <tangram/tangram.h>

__spectrum void deformconv(const Array<4, float> in, const Array<4, float> offset, const Array<4, float> mask,
                           const Array<4, float> w, const Array<1, float> bias, Array<4, float> out)
    __requires(offset.size(0) == in.size(0) && offset.size(1) == 18 && offset.size(2) == in.size(2) &&
               offset.size(3) == in.size(3)) __requires(mask.size(0) == in.size(0) && mask.size(1) == 9 &&
                                                        mask.size(2) == in.size(2) && mask.size(3) == in.size(3))
        __requires(w.size(1) == in.size(1) && w.size(2) == 3 && w.size(3) == 3 && bias.size() == w.size(0))
            __requires(out.size(0) == in.size(0) && out.size(1) == w.size(0) && out.size(2) == in.size(2) &&
                       out.size(3) == in.size(3));

float point(const Array<2, float> &plane, int y, int x) {
  int rows = plane.size(0), columns = plane.size(1);
  if (y < 0 || y >= rows || x < 0 || x >= columns) return 0;
  return plane[y][x];
}

float bilinear(const Array<2, float> &plane, float y, float x) {
  int y0 = std::floor(y), x0 = std::floor(x);
  float fy = y - y0, fx = x - x0;
  return (1 - fy) * ((1 - fx) * point(plane, y0, x0) + fx * point(plane, y0, x0 + 1)) +
         fy * ((1 - fx) * point(plane, y0 + 1, x0) + fx * point(plane, y0 + 1, x0 + 1));
}

__codelet void deformconv(const Array<4, float> in, const Array<4, float> offset, const Array<4, float> mask,
                          const Array<4, float> w, const Array<1, float> bias, Array<4, float> out) {
  int batch = in.size(0), c = in.size(1), rows = in.size(2), columns = in.size(3), k = w.size(0);
  for (int n = 0; n < batch; ++n)
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        Array<2, float> sample(c, 9);
        for (int ci = 0; ci < c; ++ci)
          for (int tap = 0; tap < 9; ++tap) {
            float py = y + tap / 3 - 1 + offset[n][2 * tap][y][x], px = x + tap % 3 - 1 + offset[n][2 * tap + 1][y][x];
            sample[ci][tap] = mask[n][tap][y][x] * bilinear(in[n][ci], py, px);
          }
        for (int ko = 0; ko < k; ++ko) {
          float sum = bias[ko];
          for (int ci = 0; ci < c; ++ci)
            for (int tap = 0; tap < 9; ++tap) sum += sample[ci][tap] * w[ko][ci][tap / 3][tap % 3];
          out[n][ko][y][x] = sum;
        }
      }
}
