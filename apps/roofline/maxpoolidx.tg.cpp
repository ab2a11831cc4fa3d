// Max pooling with indices, and its gradient by scattering.
// sizes: in=64x64x112x112 out=64x64x55x55
// least: bytes 64*64*112*112*8+64*64*55*55*12; launches 3
#include <limits>
#include <tangram/tangram.h>

__spectrum void maxpoolidx(const Array<4, float> in, const Array<4, float> dy, Array<4, float> out, Array<4, int> index,
                           Array<4, float> dx) __requires(in.size(2) >= 3 && in.size(3) >= 3 &&
                                                          out.size(2) == (in.size(2) - 3) / 2 + 1 &&
                                                          out.size(3) == (in.size(3) - 3) / 2 + 1)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && index.size(0) == in.size(0) &&
               index.size(1) == in.size(1)) __requires(index.size(2) == out.size(2) && index.size(3) == out.size(3) &&
                                                       dy.size(0) == out.size(0) && dy.size(1) == out.size(1))
        __requires(dy.size(2) == out.size(2) && dy.size(3) == out.size(3) && dx.size(0) == in.size(0) &&
                   dx.size(1) == in.size(1)) __requires(dx.size(2) == in.size(2) && dx.size(3) == in.size(3));

__codelet void maxpoolidx(const Array<4, float> in, const Array<4, float> dy, Array<4, float> out, Array<4, int> index,
                          Array<4, float> dx) {
  int batch = in.size(0), ch = in.size(1), h = in.size(2), w = in.size(3), oh = out.size(2), ow = out.size(3);
  for (int n = 0; n < batch; ++n)
    for (int c = 0; c < ch; ++c)
      for (int y = 0; y < oh; ++y)
        for (int x = 0; x < ow; ++x) {
          float best = -std::numeric_limits<float>::infinity();
          int where = (2 * y) * w + 2 * x;
          for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q)
              if (in[n][c][2 * y + p][2 * x + q] > best) {
                best = in[n][c][2 * y + p][2 * x + q];
                where = (2 * y + p) * w + 2 * x + q;
              }
          out[n][c][y][x] = best;
          index[n][c][y][x] = where;
        }
  for (int n = 0; n < batch; ++n)
    for (int c = 0; c < ch; ++c) {
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) dx[n][c][y][x] = 0;
      for (int y = 0; y < oh; ++y)
        for (int x = 0; x < ow; ++x) dx[n][c][index[n][c][y][x] / w][index[n][c][y][x] % w] += dy[n][c][y][x];
    }
}
