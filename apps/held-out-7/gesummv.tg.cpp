// gesummv of PolyBench: y = alpha A x + beta B x.
#include <tangram/tangram.h>

__spectrum void gesummv(double alpha, double beta, const Array<2, double> a, const Array<2, double> b,
                        const Array<1, double> x, Array<1, double> y)
    __requires(a.size(0) == y.size() && a.size(1) == x.size() && b.size(0) == y.size() && b.size(1) == x.size());

__codelet void gesummv(double alpha, double beta, const Array<2, double> a, const Array<2, double> b,
                       const Array<1, double> x, Array<1, double> y) {
  Array<1, double> tmp(y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    tmp[i] = 0;
    y[i] = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      tmp[i] += a[i][j] * x[j];
      y[i] += b[i][j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
