// A sparse matrix in ELLPACK times a vector; padding has a negative column.
// sizes: column=32x4194304 x=4194304
// least: bytes 32*4194304*8+4194304*8; operations 32*4194304*2
#include <tangram/tangram.h>

__spectrum void ellspmv(const Array<2, int> column, const Array<2, float> value, const Array<1, float> x,
                        Array<1, float> y)
    __requires(value.size(0) == column.size(0) && value.size(1) == column.size(1) && y.size() == column.size(1));

__codelet void ellspmv(const Array<2, int> column, const Array<2, float> value, const Array<1, float> x,
                       Array<1, float> y) {
  for (size_t i = 0; i < y.size(); ++i) {
    float sum = 0;
    for (size_t k = 0; k < column.size(0); ++k) {
      int c = column[k][i];
      if (c < 0) break;
      sum += value[k][i] * x[c];
    }
    y[i] = sum;
  }
}
