// Lucas and Kanade: the optical flow by least squares in windows.
// sizes: a=2160x3840
// least: bytes 2160*3840*16; operations 2160*3840*81*12
#include <cmath>
#include <tangram/tangram.h>

__spectrum void opticalflow(const Array<2, float> a, const Array<2, float> b, Array<2, float> u, Array<2, float> v)
    __requires(b.size(0) == a.size(0) && b.size(1) == a.size(1) && u.size(0) == a.size(0) && u.size(1) == a.size(1))
        __requires(v.size(0) == a.size(0) && v.size(1) == a.size(1));

__codelet void opticalflow(const Array<2, float> a, const Array<2, float> b, Array<2, float> u, Array<2, float> v) {
  const int R = 4;
  int h = a.size(0), w = a.size(1);
  for (int y = R + 1; y < h - R - 1; ++y)
    for (int x = R + 1; x < w - R - 1; ++x) {
      float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
      for (int q = y - R; q <= y + R; ++q)
        for (int p = x - R; p <= x + R; ++p) {
          float ix = 0.5f * (a[q][p + 1] - a[q][p - 1]), iy = 0.5f * (a[q + 1][p] - a[q - 1][p]),
                it = b[q][p] - a[q][p];
          xx += ix * ix;
          xy += ix * iy;
          yy += iy * iy;
          xt += ix * it;
          yt += iy * it;
        }
      float det = xx * yy - xy * xy;
      if (std::abs(det) < 1e-6f) {
        u[y][x] = v[y][x] = 0;
      } else {
        u[y][x] = (xy * yt - yy * xt) / det;
        v[y][x] = (xy * xt - xx * yt) / det;
      }
    }
}
