// Canny: gradients, suppression of what is no maximum, and edges that grow by hysteresis until nothing changes.
// sizes: in=4096x4096
// least: bytes 4096*4096*(4+4+4*4+2*16); operations 4096*4096*30; launches 20
#include <cmath>
#include <tangram/tangram.h>

__spectrum void canny(float low, float high, const Array<2, float> in, Array<2, unsigned char> edge)
    __requires(edge.size(0) == in.size(0) && edge.size(1) == in.size(1));

__codelet void canny(float low, float high, const Array<2, float> in, Array<2, unsigned char> edge) {
  int h = in.size(0), w = in.size(1);
  Array<2, float> gx(h, w), gy(h, w), mag(h, w);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      gx[y][x] = gy[y][x] = mag[y][x] = 0;
      if (y > 0 && x > 0 && y < h - 1 && x < w - 1) {
        gx[y][x] = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] -
                   in[y + 1][x - 1];
        gy[y][x] = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] -
                   in[y - 1][x + 1];
        mag[y][x] = std::hypot(gx[y][x], gy[y][x]);
      }
    }
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      edge[y][x] = 0;
      if (y == 0 || x == 0 || y == h - 1 || x == w - 1) continue;
      float ax = std::abs(gx[y][x]), ay = std::abs(gy[y][x]), m = mag[y][x], a, b;
      if (ay < 0.41421f * ax) {
        a = mag[y][x - 1];
        b = mag[y][x + 1];
      } else if (ax < 0.41421f * ay) {
        a = mag[y - 1][x];
        b = mag[y + 1][x];
      } else if (gx[y][x] * gy[y][x] > 0) {
        a = mag[y - 1][x - 1];
        b = mag[y + 1][x + 1];
      } else {
        a = mag[y - 1][x + 1];
        b = mag[y + 1][x - 1];
      }
      if (m >= a && m >= b) edge[y][x] = m >= high ? 2 : m >= low ? 1 : 0;
    }
  bool changed = true;
  while (changed) {
    changed = false;
    for (int y = 1; y < h - 1; ++y)
      for (int x = 1; x < w - 1; ++x) {
        if (edge[y][x] != 1) continue;
        bool near = false;
        for (int q = -1; q <= 1; ++q)
          for (int p = -1; p <= 1; ++p)
            if (edge[y + q][x + p] == 2) near = true;
        if (near) {
          edge[y][x] = 2;
          changed = true;
        }
      }
  }
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) edge[y][x] = edge[y][x] == 2 ? 255 : 0;
}
