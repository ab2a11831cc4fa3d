// 2mm of PolyBench: D = alpha A B C + beta D.
#include <tangram/tangram.h>

__spectrum void two_products(double alpha, double beta, const Array<2, double> a, const Array<2, double> b,
                             const Array<2, double> c, Array<2, double> d)
    __requires(a.size(0) == d.size(0) && a.size(1) == b.size(0))
    __requires(b.size(1) == c.size(0) && c.size(1) == d.size(1));

__codelet void two_products(double alpha, double beta, const Array<2, double> a, const Array<2, double> b,
                            const Array<2, double> c, Array<2, double> d) {
  Array<2, double> t(a.size(0), b.size(1));
  for (size_t i = 0; i < t.size(0); ++i)
    for (size_t j = 0; j < t.size(1); ++j) {
      t[i][j] = 0;
      for (size_t k = 0; k < a.size(1); ++k) t[i][j] += alpha * a[i][k] * b[k][j];
    }
  for (size_t i = 0; i < d.size(0); ++i)
    for (size_t j = 0; j < d.size(1); ++j) {
      d[i][j] *= beta;
      for (size_t k = 0; k < t.size(1); ++k) d[i][j] += t[i][k] * c[k][j];
    }
}
