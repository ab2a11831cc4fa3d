// Products of matrices as plain loops.
#include <tangram/tangram.h>

__spectrum void scaled(double alpha, const Array<2, double> a, const Array<2, double> b, Array<2, double> c)
    __requires(a.size(0) == c.size(0) && a.size(1) == b.size(0) && b.size(1) == c.size(1));
__codelet void scaled(double alpha, const Array<2, double> a, const Array<2, double> b, Array<2, double> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      double sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += alpha * a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

__spectrum void floats(const Array<2, float> a, const Array<2, float> b, Array<2, float> c)
    __requires(a.size(0) == c.size(0) && a.size(1) == b.size(0) && b.size(1) == c.size(1));
__codelet void floats(const Array<2, float> a, const Array<2, float> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}
