// Particles put into cells by a linked list, and densities from neighbouring cells (SPH).
// sizes: x=1048576 head=64x64x64
// least: bytes 1048576*24+64**3*4; operations 1048576*27*4*15; launches 3
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void celllist(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z, Array<3, int> head,
                         Array<1, int> next, Array<1, float> density)
    __requires(y.size() == x.size() && z.size() == x.size() && next.size() == x.size() && density.size() == x.size())
        __requires(head.size(0) > 0 && head.size(1) == head.size(0) && head.size(2) == head.size(0));

__codelet void celllist(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z, Array<3, int> head,
                        Array<1, int> next, Array<1, float> density) {
  int n = x.size(), g = head.size(0);
  for (int a = 0; a < g; ++a)
    for (int b = 0; b < g; ++b)
      for (int c = 0; c < g; ++c) head[a][b][c] = -1;
  for (int i = 0; i < n; ++i) {
    int a = std::clamp(int(z[i] * g), 0, g - 1), b = std::clamp(int(y[i] * g), 0, g - 1),
        c = std::clamp(int(x[i] * g), 0, g - 1);
    next[i] = head[a][b][c];
    head[a][b][c] = i;
  }
  for (int i = 0; i < n; ++i) {
    int a = std::clamp(int(z[i] * g), 0, g - 1), b = std::clamp(int(y[i] * g), 0, g - 1),
        c = std::clamp(int(x[i] * g), 0, g - 1);
    float sum = 0, r = 1.0f / g;
    for (int p = std::max(a - 1, 0); p <= std::min(a + 1, g - 1); ++p)
      for (int q = std::max(b - 1, 0); q <= std::min(b + 1, g - 1); ++q)
        for (int s = std::max(c - 1, 0); s <= std::min(c + 1, g - 1); ++s)
          for (int j = head[p][q][s]; j >= 0; j = next[j]) {
            float d = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]) + (z[i] - z[j]) * (z[i] - z[j]);
            if (d < r * r) sum += (r * r - d) * (r * r - d) * (r * r - d);
          }
    density[i] = sum;
  }
}
