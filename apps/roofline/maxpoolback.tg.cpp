// The gradient of max pooling with windows that overlap: what comes to a window goes to its first largest point.
// sizes: x=64x64x112x112 dy=64x64x56x56
// least: bytes 64*64*112*112*8+64*64*56*56*4; operations 64*64*56*56*12; launches 1
#include <tangram/tangram.h>

__spectrum void maxpoolback(const Array<4, float> x, const Array<4, float> dy, Array<4, float> dx)
    __requires(dy.size(0) == x.size(0) && dy.size(1) == x.size(1) && dy.size(2) == (x.size(2) + 1) / 2 &&
               dy.size(3) == (x.size(3) + 1) / 2) __requires(dx.size(0) == x.size(0) && dx.size(1) == x.size(1) &&
                                                             dx.size(2) == x.size(2) && dx.size(3) == x.size(3));

__codelet void maxpoolback(const Array<4, float> x, const Array<4, float> dy, Array<4, float> dx) {
  int batch = x.size(0), channels = x.size(1), rows = x.size(2), columns = x.size(3);
  int down = dy.size(2), across = dy.size(3);
  for (int n = 0; n < batch; ++n)
    for (int c = 0; c < channels; ++c) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) dx[n][c][i][j] = 0;
      for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
          int besty = -1, bestx = -1;
          float best = 0;
          for (int r = 2 * i - 1; r <= 2 * i + 1; ++r) {
            if (r < 0 || r >= rows) continue;
            for (int s = 2 * j - 1; s <= 2 * j + 1; ++s) {
              if (s < 0 || s >= columns) continue;
              if (besty < 0 || x[n][c][r][s] > best) {
                best = x[n][c][r][s];
                besty = r;
                bestx = s;
              }
            }
          }
          dx[n][c][besty][bestx] += dy[n][c][i][j];
        }
    }
}
