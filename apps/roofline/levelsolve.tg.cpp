// A sparse lower triangular system, by levels of rows that do not need each other.
// sizes: level=257 order=4194304 row=4194305 column=33554432 x=4194304
// least: bytes 33554432*8+4194304*20; operations 33554432*2; launches 256
#include <tangram/tangram.h>

__spectrum void levelsolve(const Array<1, unsigned> level, const Array<1, unsigned> order, const Array<1, unsigned> row,
                           const Array<1, unsigned> column, const Array<1, float> value, const Array<1, float> diagonal,
                           const Array<1, float> b, Array<1, float> x)
    __requires(row.size() == x.size() + 1 && value.size() == column.size() && diagonal.size() == x.size() &&
               b.size() == x.size());

__codelet void levelsolve(const Array<1, unsigned> level, const Array<1, unsigned> order, const Array<1, unsigned> row,
                          const Array<1, unsigned> column, const Array<1, float> value, const Array<1, float> diagonal,
                          const Array<1, float> b, Array<1, float> x) {
  for (size_t l = 0; l + 1 < level.size(); ++l)
    for (unsigned s = level[l]; s < level[l + 1]; ++s) {
      unsigned i = order[s];
      float sum = b[i];
      for (unsigned k = row[i]; k < row[i + 1]; ++k) sum -= value[k] * x[column[k]];
      x[i] = sum / diagonal[i];
    }
}
