// C = A B, row-major: products of numbers of 16 bits, added up in 32.
#include <tangram/tangram.h>

__spectrum void hgemm(const Array<2, f16> a, const Array<2, f16> b, Array<2, float> c)
    __requires(a.size(0) == c.size(0) && b.size(1) == c.size(1) && a.size(1) == b.size(0));

__codelet void hgemm(const Array<2, f16> a, const Array<2, f16> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += float(a[i][k]) * float(b[k][j]);
      c[i][j] = sum;
    }
}
