// The guided filter, with means over windows by sliding sums along rows and columns.
// sizes: in=4096x4096 r=8
// least: bytes 4096*4096*4*14; operations 4096*4096*40; launches 6
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void guided(int r, float eps, const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && r >= 0 && r < 32 && eps > 0);

__codelet void guided(int r, float eps, const Array<2, float> in, Array<2, float> out) {
  int h = in.size(0), w = in.size(1);
  Array<2, float> s1(h, w), s2(h, w), a(h, w), b(h, w);
  for (int y = 0; y < h; ++y) {
    float sum = 0, squares = 0;
    for (int x = 0; x < std::min(r, w); ++x) {
      sum += in[y][x];
      squares += in[y][x] * in[y][x];
    }
    for (int x = 0; x < w; ++x) {
      if (x + r < w) {
        sum += in[y][x + r];
        squares += in[y][x + r] * in[y][x + r];
      }
      if (x - r > 0) {
        sum -= in[y][x - r - 1];
        squares -= in[y][x - r - 1] * in[y][x - r - 1];
      }
      s1[y][x] = sum;
      s2[y][x] = squares;
    }
  }
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float sum = 0, squares = 0;
      int y0 = std::max(0, y - r), y1 = std::min(h - 1, y + r), x0 = std::max(0, x - r), x1 = std::min(w - 1, x + r);
      for (int q = y0; q <= y1; ++q) {
        sum += s1[q][x];
        squares += s2[q][x];
      }
      float n = (y1 - y0 + 1) * (x1 - x0 + 1), mean = sum / n, variance = squares / n - mean * mean;
      a[y][x] = variance / (variance + eps);
      b[y][x] = mean - a[y][x] * mean;
    }
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float sa = 0, sb = 0;
      int n = 0;
      for (int q = std::max(0, y - r); q <= std::min(h - 1, y + r); ++q)
        for (int p = std::max(0, x - r); p <= std::min(w - 1, x + r); ++p) {
          sa += a[q][p];
          sb += b[q][p];
          ++n;
        }
      out[y][x] = (sa * in[y][x] + sb) / n;
    }
}
