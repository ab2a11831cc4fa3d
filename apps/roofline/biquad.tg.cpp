// Cascades of biquads for many channels, sample by sample.
// sizes: x=48000x1024 coefficient=1024x6x5
// least: bytes 48000*1024*8; operations 48000*1024*6*9; seconds 4e-3
#include <tangram/tangram.h>

__spectrum void biquad(const Array<2, float> x, const Array<3, float> coefficient, Array<3, float> state,
                       Array<2, float> y) __requires(coefficient.size(0) == x.size(1) && coefficient.size(1) == 6 &&
                                                     coefficient.size(2) == 5 && state.size(0) == x.size(1))
    __requires(state.size(1) == 6 && state.size(2) == 2 && y.size(0) == x.size(0) && y.size(1) == x.size(1));

__codelet void biquad(const Array<2, float> x, const Array<3, float> coefficient, Array<3, float> state,
                      Array<2, float> y) {
  int samples = x.size(0), channels = x.size(1);
  for (int t = 0; t < samples; ++t)
    for (int c = 0; c < channels; ++c) {
      float v = x[t][c];
      for (int s = 0; s < 6; ++s) {
        float o = coefficient[c][s][0] * v + state[c][s][0];
        state[c][s][0] = coefficient[c][s][1] * v - coefficient[c][s][3] * o + state[c][s][1];
        state[c][s][1] = coefficient[c][s][2] * v - coefficient[c][s][4] * o;
        v = o;
      }
      y[t][c] = v;
    }
}
