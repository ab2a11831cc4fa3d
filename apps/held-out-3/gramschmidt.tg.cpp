// gramschmidt of PolyBench: A = Q R by the modified method of Gram and Schmidt. Of A what is left is Q with columns as
// long as they were; what is below the diagonal of R stays.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void gramschmidt(Array<2, double> a, Array<2, double> r, Array<2, double> q)
    __requires(q.size(0) == a.size(0) && q.size(1) == a.size(1))
        __requires(r.size(0) == a.size(1) && r.size(1) == a.size(1));

__codelet void gramschmidt(Array<2, double> a, Array<2, double> r, Array<2, double> q) {
  size_t m = a.size(0), n = a.size(1);
  for (size_t k = 0; k < n; ++k) {
    double norm = 0;
    for (size_t i = 0; i < m; ++i) norm += a[i][k] * a[i][k];
    r[k][k] = std::sqrt(norm);
    for (size_t i = 0; i < m; ++i) q[i][k] = a[i][k] / r[k][k];
    for (size_t j = k + 1; j < n; ++j) {
      r[k][j] = 0;
      for (size_t i = 0; i < m; ++i) r[k][j] += q[i][k] * a[i][j];
      for (size_t i = 0; i < m; ++i) a[i][j] -= q[i][k] * r[k][j];
    }
  }
}
