// A causal depthwise convolution of length four with SiLU, and the state for the next chunk (Mamba).
// sizes: x=8x4096x2048 state=8x3x2048
// least: bytes 8*4096*2048*8; operations 8*4096*2048*12; launches 2
#include <cmath>
#include <tangram/tangram.h>

__spectrum void causalconv(const Array<3, float> x, const Array<2, float> w, const Array<1, float> b,
                           Array<3, float> state, Array<3, float> y)
    __requires(w.size(0) == x.size(2) && w.size(1) == 4 && b.size() == x.size(2) && state.size(0) == x.size(0) &&
               state.size(1) == 3) __requires(state.size(2) == x.size(2) && y.size(0) == x.size(0) &&
                                              y.size(1) == x.size(1) && y.size(2) == x.size(2));

__codelet void causalconv(const Array<3, float> x, const Array<2, float> w, const Array<1, float> b,
                          Array<3, float> state, Array<3, float> y) {
  int batch = x.size(0), length = x.size(1), ch = x.size(2);
  for (int n = 0; n < batch; ++n)
    for (int d = 0; d < ch; ++d) {
      float s0 = state[n][0][d], s1 = state[n][1][d], s2 = state[n][2][d];
      for (int t = 0; t < length; ++t) {
        float v = x[n][t][d];
        float sum = b[d] + w[d][0] * s0 + w[d][1] * s1 + w[d][2] * s2 + w[d][3] * v;
        y[n][t][d] = sum / (1 + std::exp(-sum));
        s0 = s1;
        s1 = s2;
        s2 = v;
      }
      state[n][0][d] = s0;
      state[n][1][d] = s1;
      state[n][2][d] = s2;
    }
}
