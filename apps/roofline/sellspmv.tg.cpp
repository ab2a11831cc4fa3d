// A sparse product with rows sorted by length and stored in slices of 32 (SELL-C-sigma), each as wide as its longest
// row.
// sizes: start=131073 column=134217728 order=4194304 x=4194304
// least: bytes 134217728*12+4194304*20; operations 134217728*2; launches 1
#include <tangram/tangram.h>

__spectrum void sellspmv(const Array<1, int> start, const Array<1, int> column, const Array<1, double> value,
                         const Array<1, int> order, const Array<1, double> x, Array<1, double> y)
    __requires(order.size() == (start.size() - 1) * 32 && value.size() == column.size() && y.size() == x.size() &&
               y.size() == order.size());

__codelet void sellspmv(const Array<1, int> start, const Array<1, int> column, const Array<1, double> value,
                        const Array<1, int> order, const Array<1, double> x, Array<1, double> y) {
  int slices = start.size() - 1;
  for (int s = 0; s < slices; ++s) {
    int width = (start[s + 1] - start[s]) / 32;
    double sum[32];
    for (int r = 0; r < 32; ++r) sum[r] = 0;
    for (int j = 0; j < width; ++j)
      for (int r = 0; r < 32; ++r) {
        int k = start[s] + j * 32 + r;
        if (column[k] >= 0) sum[r] += value[k] * x[column[k]];
      }
    for (int r = 0; r < 32; ++r) y[order[s * 32 + r]] = sum[r];
  }
}
