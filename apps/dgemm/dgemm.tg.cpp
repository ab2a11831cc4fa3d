// C = A B^T for row-major matrices: an element of C is the dot product of a row of A and a row of B.
#include <tangram/tangram.h>

template <class T>
__spectrum void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c)
    __requires(c.size(0) == a.size(0)) __requires(c.size(1) == b.size(0)) __requires(a.size(1) == b.size(1));

template <class T>
__codelet void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  for (size_t i = 0; i < a.size(0); ++i)
    for (size_t j = 0; j < b.size(0); ++j) {
      T sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += a[i][k] * b[j][k];
      c[i][j] = sum;
    }
}
