// Attention with a sliding window and a bias by distance (ALiBi), one pass with a running maximum.
// sizes: q=4096x32x128
// least: bytes 4096*32*128*16; operations 4096*32*512*128*4
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void swattention(int window, const Array<3, float> q, const Array<3, float> k, const Array<3, float> v,
                            const Array<1, float> slope, Array<3, float> out)
    __requires(k.size(0) == q.size(0) && k.size(1) == q.size(1) && k.size(2) == q.size(2) &&
               slope.size() == q.size(1) && window > 0)
        __requires(v.size(0) == q.size(0) && v.size(1) == q.size(1) && v.size(2) == q.size(2) && q.size(2) == 128)
            __requires(out.size(0) == q.size(0) && out.size(1) == q.size(1) && out.size(2) == q.size(2));

__codelet void swattention(int window, const Array<3, float> q, const Array<3, float> k, const Array<3, float> v,
                           const Array<1, float> slope, Array<3, float> out) {
  int n = q.size(0), heads = q.size(1);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < n; ++i) {
      float most = -1e30f, total = 0, acc[128];
      for (int d = 0; d < 128; ++d) acc[d] = 0;
      for (int j = std::max(0, i - 511); j <= i; ++j) {
        float s = 0;
        for (int d = 0; d < 128; ++d) s += q[i][h][d] * k[j][h][d];
        s = s * 0.088388f - slope[h] * (i - j);
        float m = std::max(most, s), scale = std::exp(most - m), p = std::exp(s - m);
        total = total * scale + p;
        for (int d = 0; d < 128; ++d) acc[d] = acc[d] * scale + p * v[j][h][d];
        most = m;
      }
      for (int d = 0; d < 128; ++d) out[i][h][d] = acc[d] / total;
    }
}
