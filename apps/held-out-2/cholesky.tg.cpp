// cholesky of PolyBench, of a matrix with `shift` added to its diagonal, as for Gaussian processes: A + shift I = L L'.
// The lower half is read and becomes L; what is above the diagonal stays.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void cholesky(double shift, Array<2, double> a) __requires(a.size(0) == a.size(1));

__codelet void cholesky(double shift, Array<2, double> a) {
  size_t n = a.size(0);
  for (size_t i = 0; i < n; ++i) a[i][i] += shift;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (size_t k = 0; k < i; ++k) a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = std::sqrt(a[i][i]);
  }
}
