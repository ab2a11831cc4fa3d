// The cross-correlation of a signal with 128 taps.
#include <tangram/tangram.h>

__spectrum void fir(const Array<1, float> in, const Array<1, float> taps, Array<1, float> out)
    __requires(taps.size() == 128 && in.size() == out.size() + 127);

__codelet void fir(const Array<1, float> in, const Array<1, float> taps, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (size_t k = 0; k < taps.size(); ++k) sum += taps[k] * in[i + k];
    out[i] = sum;
  }
}
