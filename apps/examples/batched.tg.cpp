// Many products of small matrices, 16 x 16.
#include <tangram/tangram.h>

__spectrum void products(const Array<3, float> a, const Array<3, float> b, Array<3, float> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(0))
    __requires(a.size(1) == 16 && a.size(2) == 16 && b.size(1) == 16 && b.size(2) == 16)
    __requires(c.size(1) == 16 && c.size(2) == 16);

__codelet void products(const Array<3, float> a, const Array<3, float> b, Array<3, float> c) {
  for (size_t n = 0; n < c.size(0); ++n)
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j) {
        float sum = 0;
        for (size_t k = 0; k < 16; ++k) sum += a[n][i][k] * b[n][k][j];
        c[n][i][j] = sum;
      }
}
