// The gradients of a convolution by its weights and its bias, added up over pictures and points as they come.
// sizes: x=32x128x56x56 dy=32x128x56x56 dw=128x128x3x3
// least: bytes 32*128*56*56*8; operations 32*128*56*56*128*9*2
#include <tangram/tangram.h>

__spectrum void convbwdweight(const Array<4, float> x, const Array<4, float> dy, Array<4, float> dw, Array<1, float> db)
    __requires(x.size(0) == dy.size(0) && x.size(2) == dy.size(2) && x.size(3) == dy.size(3))
        __requires(dw.size(0) == dy.size(1) && dw.size(1) == x.size(1) && db.size() == dy.size(1));

__codelet void convbwdweight(const Array<4, float> x, const Array<4, float> dy, Array<4, float> dw,
                             Array<1, float> db) {
  int batch = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3), k = dy.size(1), kh = dw.size(2), kw = dw.size(3);
  for (int ko = 0; ko < k; ++ko) {
    db[ko] = 0;
    for (int ci = 0; ci < c; ++ci)
      for (int r = 0; r < kh; ++r)
        for (int s = 0; s < kw; ++s) dw[ko][ci][r][s] = 0;
  }
  for (int b = 0; b < batch; ++b)
    for (int ko = 0; ko < k; ++ko)
      for (int y = 0; y < h; ++y)
        for (int xx = 0; xx < w; ++xx) {
          float g = dy[b][ko][y][xx];
          db[ko] += g;
          for (int ci = 0; ci < c; ++ci)
            for (int r = 0; r < kh; ++r)
              for (int s = 0; s < kw; ++s) {
                int iy = y + r - kh / 2, ix = xx + s - kw / 2;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w) dw[ko][ci][r][s] += g * x[b][ci][iy][ix];
              }
        }
}
