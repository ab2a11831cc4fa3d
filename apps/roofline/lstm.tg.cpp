// An LSTM over a sequence, by a batch.
// sizes: x=64x256x512 wx=2048x512 wh=2048x512 h=64x512
// least: bytes 64*256*512*8+2*2048*512*4; operations 64*256*2048*1024*2; launches 128
#include <cmath>
#include <tangram/tangram.h>

float sigmoid(float v) { return 1 / (1 + std::exp(-v)); }
__spectrum void lstm(const Array<3, float> x, const Array<2, float> wx, const Array<2, float> wh,
                     const Array<1, float> b, Array<2, float> h, Array<2, float> c,
                     Array<3, float> y) __requires(wx.size(0) == 4 * h.size(1) && wh.size(0) == 4 * h.size(1) &&
                                                   b.size() == 4 * h.size(1) && wx.size(1) == x.size(2))
    __requires(wh.size(1) == h.size(1) && h.size(0) == x.size(1) && c.size(0) == h.size(0) && c.size(1) == h.size(1))
        __requires(y.size(0) == x.size(0) && y.size(1) == x.size(1) && y.size(2) == h.size(1));

__codelet void lstm(const Array<3, float> x, const Array<2, float> wx, const Array<2, float> wh,
                    const Array<1, float> b, Array<2, float> h, Array<2, float> c, Array<3, float> y) {
  int steps = x.size(0), batch = x.size(1), in = x.size(2), hidden = h.size(1);
  Array<2, float> gate(batch, 4 * hidden);
  for (int t = 0; t < steps; ++t) {
    for (int n = 0; n < batch; ++n)
      for (int g = 0; g < 4 * hidden; ++g) {
        float sum = b[g];
        for (int k = 0; k < in; ++k) sum += wx[g][k] * x[t][n][k];
        for (int k = 0; k < hidden; ++k) sum += wh[g][k] * h[n][k];
        gate[n][g] = sum;
      }
    for (int n = 0; n < batch; ++n)
      for (int j = 0; j < hidden; ++j) {
        float i = sigmoid(gate[n][j]), f = sigmoid(gate[n][hidden + j]), g = std::tanh(gate[n][2 * hidden + j]),
              o = sigmoid(gate[n][3 * hidden + j]);
        c[n][j] = f * c[n][j] + i * g;
        h[n][j] = o * std::tanh(c[n][j]);
        y[t][n][j] = h[n][j];
      }
  }
}
