// The product of a symmetric matrix, of which only what lies below the diagonal is there, and columns.
#include <tangram/tangram.h>

__spectrum void both_triangles(const Array<2, float> a, const Array<2, float> x, Array<2, float> y)
    __requires(a.size(0) == a.size(1) && a.size(0) == x.size(0))
        __requires(x.size(0) == y.size(0) && x.size(1) == y.size(1));

__codelet void both_triangles(const Array<2, float> a, const Array<2, float> x, Array<2, float> y) {
  for (size_t i = 0; i < a.size(0); ++i)
    for (size_t c = 0; c < x.size(1); ++c) {
      float sum = 0;
      for (size_t k = 0; k < i; ++k) {
        y[k][c] += x[i][c] * a[i][k];
        sum += x[k][c] * a[i][k];
      }
      y[i][c] = sum;
    }
}
