// Many small systems of equations, symmetric and positive definite, by Cholesky's factors, which are left where the
// matrices were; of these what is not above the diagonal is read, and a shift is added to the diagonal.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void spdsolve(float shift, Array<3, float> a, Array<2, float> b)
    __requires(a.size(1) == a.size(2) && b.size(0) == a.size(0) && b.size(1) == a.size(1));

__codelet void spdsolve(float shift, Array<3, float> a, Array<2, float> b) {
  size_t n = a.size(1);
  for (size_t m = 0; m < a.size(0); ++m) {
    for (size_t j = 0; j < n; ++j) {
      float pivot = a[m][j][j] + shift;
      for (size_t k = 0; k < j; ++k) pivot -= a[m][j][k] * a[m][j][k];
      pivot = std::sqrt(pivot);
      a[m][j][j] = pivot;
      for (size_t i = j + 1; i < n; ++i) {
        float sum = a[m][i][j];
        for (size_t k = 0; k < j; ++k) sum -= a[m][i][k] * a[m][j][k];
        a[m][i][j] = sum / pivot;
      }
    }
    for (size_t i = 0; i < n; ++i) {
      float sum = b[m][i];
      for (size_t k = 0; k < i; ++k) sum -= a[m][i][k] * b[m][k];
      b[m][i] = sum / a[m][i][i];
    }
    for (size_t i = n; i-- > 0;) {
      float sum = b[m][i];
      for (size_t k = i + 1; k < n; ++k) sum -= a[m][k][i] * b[m][k];
      b[m][i] = sum / a[m][i][i];
    }
  }
}
