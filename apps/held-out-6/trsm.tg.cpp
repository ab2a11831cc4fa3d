// A triangular system with many right-hand sides, which become the solutions: what is below the diagonal of L, whose
// diagonal is all ones, as behind a factorisation.
#include <tangram/tangram.h>

__spectrum void trsm(const Array<2, float> l, Array<2, float> b)
    __requires(l.size(0) == l.size(1) && b.size(0) == l.size(0));

__codelet void trsm(const Array<2, float> l, Array<2, float> b) {
  for (size_t i = 0; i < b.size(0); ++i)
    for (size_t j = 0; j < b.size(1); ++j) {
      float x = b[i][j];
      for (size_t k = 0; k < i; ++k) x -= l[i][k] * b[k][j];
      b[i][j] = x;
    }
}
