// A grouped 3x3 convolution with stride and padding (ResNeXt).
// sizes: in=32x256x56x56 w=256x8x3x3 out=32x256x56x56 groups=32 stride=1 pad=1
// least: bytes 32*256*56*56*8; operations 32*256*56*56*8*9*2
#include <tangram/tangram.h>

__spectrum void groupconv(int groups, int stride, int pad, const Array<4, float> in, const Array<4, float> w,
                          const Array<1, float> bias, Array<4, float> out)
    __requires(groups > 0 && stride > 0 && w.size(0) == out.size(1) && bias.size() == out.size(1) &&
               in.size(0) == out.size(0)) __requires(in.size(1) == groups * w.size(1) && out.size(1) % groups == 0);

__codelet void groupconv(int groups, int stride, int pad, const Array<4, float> in, const Array<4, float> w,
                         const Array<1, float> bias, Array<4, float> out) {
  int batch = out.size(0), oc = out.size(1), oh = out.size(2), ow = out.size(3);
  int per = w.size(1), kh = w.size(2), kw = w.size(3), h = in.size(2), wd = in.size(3);
  for (int n = 0; n < batch; ++n)
    for (int o = 0; o < oc; ++o) {
      int g = o / (oc / groups);
      for (int y = 0; y < oh; ++y)
        for (int x = 0; x < ow; ++x) {
          float sum = bias[o];
          for (int c = 0; c < per; ++c)
            for (int p = 0; p < kh; ++p)
              for (int q = 0; q < kw; ++q) {
                int iy = y * stride - pad + p, ix = x * stride - pad + q;
                if (iy >= 0 && iy < h && ix >= 0 && ix < wd) sum += in[n][g * per + c][iy][ix] * w[o][c][p][q];
              }
          out[n][o][y][x] = sum > 0 ? sum : 0;
        }
    }
}
