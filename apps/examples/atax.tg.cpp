// atax of PolyBench: y = A' (A x).
#include <tangram/tangram.h>

__spectrum void atax(const Array<2, double> a, const Array<1, double> x, Array<1, double> y)
    __requires(a.size(1) == x.size() && a.size(1) == y.size());

__codelet void atax(const Array<2, double> a, const Array<1, double> x, Array<1, double> y) {
  for (size_t j = 0; j < y.size(); ++j) y[j] = 0;
  for (size_t i = 0; i < a.size(0); ++i) {
    double t = 0;
    for (size_t j = 0; j < x.size(); ++j) t += a[i][j] * x[j];
    for (size_t j = 0; j < y.size(); ++j) y[j] += a[i][j] * t;
  }
}
