// A transposed convolution with stride 2, as scattered sums.
// sizes: in=16x128x64x64 w=128x64x4x4 out=16x64x130x130
// least: bytes 16*128*64*64*4+16*64*130*130*4; operations 16*128*64*64*64*16*2; launches 2
#include <tangram/tangram.h>

__spectrum void convtranspose(const Array<4, float> in, const Array<4, float> w, const Array<1, float> bias,
                              Array<4, float> out) __requires(w.size(0) == in.size(1) && w.size(1) == out.size(1) &&
                                                              bias.size() == out.size(1) && out.size(0) == in.size(0))
    __requires(in.size(2) > 0 && in.size(3) > 0 && out.size(2) == in.size(2) * 2 - 2 + w.size(2) &&
               out.size(3) == in.size(3) * 2 - 2 + w.size(3));

__codelet void convtranspose(const Array<4, float> in, const Array<4, float> w, const Array<1, float> bias,
                             Array<4, float> out) {
  int batch = in.size(0), ci = in.size(1), h = in.size(2), wd = in.size(3), co = w.size(1), kh = w.size(2),
      kw = w.size(3);
  for (int n = 0; n < batch; ++n)
    for (int o = 0; o < co; ++o)
      for (size_t y = 0; y < out.size(2); ++y)
        for (size_t x = 0; x < out.size(3); ++x) out[n][o][y][x] = bias[o];
  for (int n = 0; n < batch; ++n)
    for (int c = 0; c < ci; ++c)
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < wd; ++x)
          for (int o = 0; o < co; ++o)
            for (int p = 0; p < kh; ++p)
              for (int q = 0; q < kw; ++q) out[n][o][2 * y + p][2 * x + q] += in[n][c][y][x] * w[c][o][p][q];
}
