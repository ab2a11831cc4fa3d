#include <tangram/tangram.h>

__spectrum void sgemv(const Array<2, float> a, const Array<1, float> x, Array<1, float> y)
    __requires(a.size(1) == x.size() && a.size(0) == y.size());

__codelet
void sgemv(const Array<2, float> a, const Array<1, float> x, Array<1, float> y) {
  for (unsigned i = 0; i < a.size(0); ++i) {
    float accum = 0;
    for (unsigned j = 0; j < a.size(1); ++j) accum += a[i][j] * x[j];
    y[i] = accum;
  }
}
