// The transpose of a sparse matrix in compressed rows.
// sizes: row=1048577 column=33554432 row2=1048577
// least: bytes 33554432*20; launches 4
#include <tangram/tangram.h>

__spectrum void csrtranspose(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                             Array<1, unsigned> row2, Array<1, unsigned> column2, Array<1, float> value2)
    __requires(row.size() > 0 && row2.size() > 0 && value.size() == column.size() && column2.size() == column.size() &&
               value2.size() == column.size());

__codelet void csrtranspose(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                            Array<1, unsigned> row2, Array<1, unsigned> column2, Array<1, float> value2) {
  size_t n = row.size() - 1, m = row2.size() - 1;
  Array<1, unsigned> next(m);
  for (size_t c = 0; c < m; ++c) next[c] = 0;
  for (size_t k = 0; k < column.size(); ++k) next[column[k]]++;
  unsigned sum = 0;
  for (size_t c = 0; c < m; ++c) {
    row2[c] = sum;
    sum += next[c];
    next[c] = row2[c];
  }
  row2[m] = sum;
  for (size_t r = 0; r < n; ++r)
    for (unsigned k = row[r]; k < row[r + 1]; ++k) {
      unsigned to = next[column[k]]++;
      column2[to] = r;
      value2[to] = value[k];
    }
}
