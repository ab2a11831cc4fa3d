// Loops of which all depend on the iterations before, in blocks of one of them: as blocked factorizations.
#include <tangram/tangram.h>

/// As an LU factorization, by the rows of one who computes each element at once, without divisions: of whole numbers
/// that wrap around. Left and right of the diagonal are two statements with one text.
__spectrum void eliminate(Array<2, unsigned> a) __requires(a.size(0) == a.size(1));

__codelet void eliminate(Array<2, unsigned> a) {
  for (size_t i = 0; i < a.size(0); ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[k][j];
      a[i][j] *= a[j][j] | 1;
    }
    for (size_t j = i; j < a.size(0); ++j)
      for (size_t k = 0; k < i; ++k) a[i][j] -= a[i][k] * a[k][j];
  }
}

/// As an orthogonalization: columns wait for those before them, rows do not part. A variable of an iteration is one that
/// several loops use.
__spectrum void project(Array<2, unsigned> a, Array<2, unsigned> r) __requires(r.size(0) == a.size(1) && r.size(1) == a.size(1));

__codelet void project(Array<2, unsigned> a, Array<2, unsigned> r) {
  size_t m = a.size(0), n = a.size(1);
  for (size_t k = 0; k < n; ++k) {
    unsigned norm = 0;
    for (size_t i = 0; i < m; ++i) norm += a[i][k] & 7;
    for (size_t i = 0; i < m; ++i) a[i][k] = (a[i][k] + norm) & 255;
    for (size_t j = k + 1; j < n; ++j) {
      r[k][j] = 0;
      for (size_t i = 0; i < m; ++i) r[k][j] += a[i][k] * a[i][j];
      for (size_t i = 0; i < m; ++i) a[i][j] -= a[i][k] * (r[k][j] & 15);
    }
  }
}
