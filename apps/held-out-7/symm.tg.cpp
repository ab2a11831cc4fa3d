// symm of PolyBench: C becomes beta C + alpha A B, where of A, which is symmetric, only what is not above the diagonal is
// read.
#include <tangram/tangram.h>

__spectrum void symm(double alpha, double beta, const Array<2, double> a, const Array<2, double> b, Array<2, double> c)
    __requires(a.size(0) == a.size(1) && a.size(0) == c.size(0))
        __requires(b.size(0) == c.size(0) && b.size(1) == c.size(1));

__codelet void symm(double alpha, double beta, const Array<2, double> a, const Array<2, double> b, Array<2, double> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      double sum = 0;
      for (size_t k = 0; k < i; ++k) {
        c[k][j] += alpha * b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
    }
}
