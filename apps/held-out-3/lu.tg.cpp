// lu of PolyBench, in place, of a matrix with `shift` added to its diagonal, so that no pivots are looked for:
// A + shift I = L U, where the diagonal of L is ones, which are not kept.
#include <tangram/tangram.h>

__spectrum void lu(double shift, Array<2, double> a) __requires(a.size(0) == a.size(1));

__codelet void lu(double shift, Array<2, double> a) {
  size_t n = a.size(0);
  for (size_t i = 0; i < n; ++i) a[i][i] += shift;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
    for (size_t j = i; j < n; ++j)
      for (size_t k = 0; k < i; ++k) a[i][j] -= a[i][k] * a[k][j];
  }
}
