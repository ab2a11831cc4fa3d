// Quotients by what a loop does not change, which devices find by its reciprocal; also of special values.
#include <tangram/tangram.h>

__spectrum void scaled(const Array<1, float> by, const Array<2, float> in, Array<2, float> out)
    __requires(by.size() == in.size(0) && in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void scaled(const Array<1, float> by, const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float divisor = by[i];
    for (size_t j = 0; j < in.size(1); ++j) out[i][j] = in[i][j] / divisor + in[i][j] / 3;
  }
}

__spectrum void scaled_wide(double by, double more, const Array<1, double> in, Array<1, double> out)
    __requires(in.size() == out.size());

__codelet void scaled_wide(double by, double more, const Array<1, double> in, Array<1, double> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] / by - in[i] / (by * more);
}
