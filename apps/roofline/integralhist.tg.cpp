// An integral histogram: how many points above and to the left of each point fall into each bin.
// sizes: in=2160x3840 out=32x2160x3840
// least: bytes 2160*3840+32*2160*3840*4; operations 32*2160*3840*2; launches 2
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void integralhist(const Array<2, uint8_t> in, Array<3, int> out)
    __requires(out.size(0) > 0 && out.size(1) == in.size(0) && out.size(2) == in.size(1));

__codelet void integralhist(const Array<2, uint8_t> in, Array<3, int> out) {
  int bins = out.size(0), rows = in.size(0), columns = in.size(1);
  for (int b = 0; b < bins; ++b)
    for (int y = 0; y < rows; ++y) {
      int run = 0;
      for (int x = 0; x < columns; ++x) {
        if (in[y][x] * bins / 256 == b) ++run;
        out[b][y][x] = run + (y > 0 ? out[b][y - 1][x] : 0);
      }
    }
}
