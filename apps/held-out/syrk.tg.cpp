// syrk of PolyBench, of all of C: C = alpha A A' + beta C.
#include <tangram/tangram.h>

__spectrum void syrk(double alpha, double beta, const Array<2, double> a, Array<2, double> c)
    __requires(a.size(0) == c.size(0) && a.size(0) == c.size(1));

__codelet void syrk(double alpha, double beta, const Array<2, double> a, Array<2, double> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      c[i][j] *= beta;
      for (size_t k = 0; k < a.size(1); ++k) c[i][j] += alpha * a[i][k] * a[j][k];
    }
}
