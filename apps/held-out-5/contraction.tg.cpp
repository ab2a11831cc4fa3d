// Two tensors contracted over two of their indices: c[a][b][i][j] = sum over k, l of x[a][k][l][i] y[k][b][j][l].
#include <tangram/tangram.h>

__spectrum void contraction(const Array<4, float> x, const Array<4, float> y,
                            Array<4, float> c) __requires(y.size(0) == x.size(1) && y.size(3) == x.size(2))
    __requires(c.size(0) == x.size(0) && c.size(1) == y.size(1) && c.size(2) == x.size(3) && c.size(3) == y.size(2));

__codelet void contraction(const Array<4, float> x, const Array<4, float> y, Array<4, float> c) {
  for (size_t a = 0; a < c.size(0); ++a)
    for (size_t b = 0; b < c.size(1); ++b)
      for (size_t i = 0; i < c.size(2); ++i)
        for (size_t j = 0; j < c.size(3); ++j) {
          float sum = 0;
          for (size_t k = 0; k < x.size(1); ++k)
            for (size_t l = 0; l < x.size(2); ++l) sum += x[a][k][l][i] * y[k][b][j][l];
          c[a][b][i][j] = sum;
        }
}
