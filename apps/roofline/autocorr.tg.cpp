// The autocorrelation of a signal for some lags.
// sizes: x=4194304 r=1024
// least: bytes 4194304*4; operations 4194304*1024*2
#include <tangram/tangram.h>

__spectrum void autocorr(const Array<1, float> x, Array<1, float> r);

__codelet void autocorr(const Array<1, float> x, Array<1, float> r) {
  for (size_t k = 0; k < r.size(); ++k) {
    float sum = 0;
    for (size_t i = 0; i + k < x.size(); ++i) sum += x[i] * x[i + k];
    r[k] = sum / x.size();
  }
}
