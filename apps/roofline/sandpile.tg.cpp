// A sandpile: cells of four grains and more topple until none does.
// sizes: a=4096x4096 most=16
// least: bytes 16*4096*4096*8; launches 32
#include <tangram/tangram.h>

__spectrum unsigned sandpile(unsigned most, Array<2, int> a);

__codelet unsigned sandpile(unsigned most, Array<2, int> a) {
  int h = a.size(0), w = a.size(1);
  Array<2, int> b(h, w);
  unsigned steps = 0;
  for (; steps < most; ++steps) {
    int unstable = 0;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        int v = a[y][x] & 3;
        if (a[y][x] >= 4) ++unstable;
        if (y > 0) v += a[y - 1][x] >> 2;
        if (y < h - 1) v += a[y + 1][x] >> 2;
        if (x > 0) v += a[y][x - 1] >> 2;
        if (x < w - 1) v += a[y][x + 1] >> 2;
        b[y][x] = v;
      }
    if (unstable == 0) break;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) a[y][x] = b[y][x];
  }
  return steps;
}
