// The exponential moving average of each row.
#include <tangram/tangram.h>

__spectrum void ema(float alpha, const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(1) > 0);

__codelet void ema(float alpha, const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    out[i][0] = in[i][0];
    for (size_t t = 1; t < in.size(1); ++t) out[i][t] = alpha * in[i][t] + (1 - alpha) * out[i][t - 1];
  }
}
