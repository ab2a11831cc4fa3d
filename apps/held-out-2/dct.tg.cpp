// The discrete cosine transform of a picture's blocks of 8 x 8 pixels, as of JPEG: C X C'. The rows of C are given.
#include <tangram/tangram.h>

__spectrum void dct(const Array<2, float> c, const Array<2, float> in, Array<2, float> out)
    __requires(c.size(0) == 8 && c.size(1) == 8 && in.size(0) % 8 == 0 && in.size(1) % 8 == 0)
        __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void dct(const Array<2, float> c, const Array<2, float> in, Array<2, float> out) {
  for (size_t top = 0; top < in.size(0); top += 8)
    for (size_t left = 0; left < in.size(1); left += 8) {
      float t[8][8];
      for (int u = 0; u < 8; ++u)
        for (int x = 0; x < 8; ++x) {
          float sum = 0;
          for (int y = 0; y < 8; ++y) sum += c[u][y] * in[top + y][left + x];
          t[u][x] = sum;
        }
      for (int u = 0; u < 8; ++u)
        for (int v = 0; v < 8; ++v) {
          float sum = 0;
          for (int x = 0; x < 8; ++x) sum += t[u][x] * c[v][x];
          out[top + u][left + v] = sum;
        }
    }
}
