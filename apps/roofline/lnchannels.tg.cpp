// Layer norm over the channels of pictures stored channels first (ConvNeXt).
// sizes: x=64x256x3136 y=64x256x3136 gamma=256 beta=256
// least: bytes 64*256*3136*8; operations 64*256*3136*8; launches 1
#include <cmath>
#include <tangram/tangram.h>

__spectrum void lnchannels(float eps, const Array<3, float> x, const Array<1, float> gamma, const Array<1, float> beta,
                           Array<3, float> y)
    __requires(gamma.size() == x.size(1) && beta.size() == x.size(1) && y.size(0) == x.size(0) &&
               y.size(1) == x.size(1) && y.size(2) == x.size(2));

__codelet void lnchannels(float eps, const Array<3, float> x, const Array<1, float> gamma, const Array<1, float> beta,
                          Array<3, float> y) {
  size_t channels = x.size(1);
  for (size_t n = 0; n < x.size(0); n++) {
    for (size_t p = 0; p < x.size(2); p++) {
      float mean = 0.f;
      for (size_t c = 0; c < channels; c++) mean += x(n, c, p);
      mean /= channels;
      float var = 0.f;
      for (size_t c = 0; c < channels; c++) {
        float d = x(n, c, p) - mean;
        var += d * d;
      }
      float rstd = 1.f / std::sqrt(var / channels + eps);
      for (size_t c = 0; c < channels; c++) y(n, c, p) = (x(n, c, p) - mean) * rstd * gamma[c] + beta[c];
    }
  }
}
