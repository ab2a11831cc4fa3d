// trmm of PolyBench: B = alpha A' B, where A is a lower triangle with ones on its diagonal.
#include <tangram/tangram.h>

__spectrum void trmm(double alpha, const Array<2, double> a, Array<2, double> b)
    __requires(a.size(0) == a.size(1) && a.size(0) == b.size(0));

__codelet void trmm(double alpha, const Array<2, double> a, Array<2, double> b) {
  size_t m = b.size(0), n = b.size(1);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = i + 1; k < m; ++k) b[i][j] += a[k][i] * b[k][j];
      b[i][j] = alpha * b[i][j];
    }
}
