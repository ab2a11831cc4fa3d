// Sums of rows and of columns by one loop, whose statements share numbers of an iteration.
#include <tangram/tangram.h>

__spectrum void gradients(const Array<2, float> x, const Array<1, float> scale, Array<1, float> rows, Array<1, float> columns)
    __requires(rows.size() == x.size(0) && scale.size() == x.size(0) && columns.size() == x.size(1));

__codelet void gradients(const Array<2, float> x, const Array<1, float> scale, Array<1, float> rows, Array<1, float> columns) {
  for (size_t i = 0; i < x.size(0); ++i) {
    float sum = 0;
    for (size_t j = 0; j < x.size(1); ++j) {
      float scaled = x[i][j] * scale[i];
      sum += scaled;
      columns[j] += scaled * scaled;
    }
    rows[i] = sum;
  }
}
