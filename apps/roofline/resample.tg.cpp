// A rational resampler: up by L, down by M, with a polyphase filter.
// sizes: x=33554432 y=36523000 h=160x32
// least: bytes 33554432*4+36523000*4; operations 36523000*64
#include <tangram/tangram.h>

__spectrum void resample(unsigned up, unsigned down, const Array<1, float> x, const Array<2, float> h,
                         Array<1, float> y) __requires(up > 0 && down > 0 && h.size(0) == up);

__codelet void resample(unsigned up, unsigned down, const Array<1, float> x, const Array<2, float> h,
                        Array<1, float> y) {
  unsigned phase = 0;
  size_t at = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    float sum = 0;
    for (size_t k = 0; k < h.size(1); ++k)
      if (at >= k && at - k < x.size()) sum += h[phase][k] * x[at - k];
    y[i] = sum;
    phase += down;
    while (phase >= up) {
      phase -= up;
      ++at;
    }
  }
}
