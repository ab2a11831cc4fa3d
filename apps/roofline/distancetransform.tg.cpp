// The squared Euclidean distance to the next set pixel (Felzenszwalb, Huttenlocher): columns, then lower envelopes of
// rows.
// sizes: mask=4096x4096
// least: bytes 4096*4096*17; operations 4096*4096*30; launches 2
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void distancetransform(const Array<2, unsigned char> mask, Array<2, float> out)
    __requires(out.size(0) == mask.size(0) && out.size(1) == mask.size(1) && mask.size(1) > 0);

__codelet void distancetransform(const Array<2, unsigned char> mask, Array<2, float> out) {
  int h = mask.size(0), w = mask.size(1);
  Array<2, float> g(h, w);
  for (int x = 0; x < w; ++x) {
    float d = 1e4f;
    for (int y = 0; y < h; ++y) {
      d = mask[y][x] ? 0 : d + 1;
      g[y][x] = d;
    }
    d = 1e4f;
    for (int y = h - 1; y >= 0; --y) {
      d = mask[y][x] ? 0 : d + 1;
      g[y][x] = std::min(g[y][x], d) * std::min(g[y][x], d);
    }
  }
  for (int y = 0; y < h; ++y) {
    Array<1, int> v(w);
    Array<1, float> z(w + 1);
    int k = 0;
    v[0] = 0;
    z[0] = -1e20f;
    z[1] = 1e20f;
    for (int q = 1; q < w; ++q) {
      float s = ((g[y][q] + float(q) * q) - (g[y][v[k]] + float(v[k]) * v[k])) / (2 * q - 2 * v[k]);
      while (s <= z[k]) {
        --k;
        s = ((g[y][q] + float(q) * q) - (g[y][v[k]] + float(v[k]) * v[k])) / (2 * q - 2 * v[k]);
      }
      ++k;
      v[k] = q;
      z[k] = s;
      z[k + 1] = 1e20f;
    }
    k = 0;
    for (int q = 0; q < w; ++q) {
      while (z[k + 1] < q) ++k;
      out[y][q] = float(q - v[k]) * (q - v[k]) + g[y][v[k]];
    }
  }
}
