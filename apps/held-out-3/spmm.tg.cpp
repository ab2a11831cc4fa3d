// A sparse matrix in compressed rows times a dense one of 64 columns.
#include <tangram/tangram.h>

__spectrum void spmm(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                     const Array<2, float> b, Array<2, float> c)
    __requires(row.size() == c.size(0) + 1 && column.size() == value.size())
        __requires(b.size(1) == 64 && c.size(1) == 64);

__codelet void spmm(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                    const Array<2, float> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i) {
    for (size_t j = 0; j < 64; ++j) c[i][j] = 0;
    for (size_t k = row[i]; k < row[i + 1]; ++k)
      for (size_t j = 0; j < 64; ++j) c[i][j] += value[k] * b[column[k]][j];
  }
}
