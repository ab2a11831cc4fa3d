// gemver of PolyBench: A += u1 v1' + u2 v2', x += beta A' y + z, w += alpha A x.
#include <tangram/tangram.h>

__spectrum void gemver(double alpha, double beta, Array<2, double> a, const Array<1, double> u1,
                       const Array<1, double> v1, const Array<1, double> u2, const Array<1, double> v2,
                       const Array<1, double> y, const Array<1, double> z, Array<1, double> x, Array<1, double> w)
    __requires(a.size(0) == a.size(1) && u1.size() == a.size(0) && v1.size() == a.size(0))
    __requires(u2.size() == a.size(0) && v2.size() == a.size(0) && y.size() == a.size(0) && z.size() == a.size(0))
    __requires(x.size() == a.size(0) && w.size() == a.size(0));

__codelet void gemver(double alpha, double beta, Array<2, double> a, const Array<1, double> u1,
                      const Array<1, double> v1, const Array<1, double> u2, const Array<1, double> v2,
                      const Array<1, double> y, const Array<1, double> z, Array<1, double> x, Array<1, double> w) {
  size_t n = x.size();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) a[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) x[i] += beta * a[j][i] * y[j];
  for (size_t i = 0; i < n; ++i) x[i] += z[i];
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) w[i] += alpha * a[i][j] * x[j];
}
