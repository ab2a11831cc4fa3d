// Mutual information of two pictures, by their joint histogram.
// sizes: a=8192x8192 joint=64x64
// least: bytes 8192*8192*2; operations 8192*8192*2; launches 4
#include <cmath>
#include <tangram/tangram.h>

__spectrum float mutualinfo(const Array<2, unsigned char> a, const Array<2, unsigned char> b, Array<2, unsigned> joint)
    __requires(b.size(0) == a.size(0) && b.size(1) == a.size(1) && joint.size(0) == 64 && joint.size(1) == 64);

__codelet float mutualinfo(const Array<2, unsigned char> a, const Array<2, unsigned char> b, Array<2, unsigned> joint) {
  float pa[64], pb[64], n = a.size();
  for (int i = 0; i < 64; ++i) {
    pa[i] = pb[i] = 0;
    for (int j = 0; j < 64; ++j) joint[i][j] = 0;
  }
  for (size_t y = 0; y < a.size(0); ++y)
    for (size_t x = 0; x < a.size(1); ++x) joint[a[y][x] / 4][b[y][x] / 4]++;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      pa[i] += joint[i][j] / n;
      pb[j] += joint[i][j] / n;
    }
  float info = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j)
      if (joint[i][j] > 0) {
        float p = joint[i][j] / n;
        info += p * std::log(p / (pa[i] * pb[j]));
      }
  return info;
}
