// y = A x for a sparse matrix in compressed rows (CSR).
#include "../common/sparse_dot.tg.h"

// Row r has the elements row[r] to row[r + 1] of `value`, in the columns that `column` says.
template <class T>
__spectrum void spmv(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, T> value,
                     const Array<1, T> x, Array<1, T> y)
    __requires(row.size() == y.size() + 1) __requires(column.size() == value.size());

// A sparse dot product a row.
template <class T>
__codelet __tag(rows) void spmv(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, T> value,
                                const Array<1, T> x, Array<1, T> y) {
  size_t n = y.size();
  y = map(sparse_dot<T>, partition(column, n, sequence(row, 0, 1, n), sequence(1), sequence(row, 1, 1, n + 1)),
          partition(value, n, sequence(row, 0, 1, n), sequence(1), sequence(row, 1, 1, n + 1)), x);
}
