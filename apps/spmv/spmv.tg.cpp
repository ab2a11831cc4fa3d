// y = A x for a sparse matrix in compressed rows (CSR).
#include "../common/sparse_dot.tg.h"
#include <algorithm>

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

// Adds to y what one of the pieces of the values gives, wherever rows begin and end in it. All pieces but the last have
// `length` elements; what no row has adds nothing.
template <class T>
__spectrum void add_piece(size_t piece, size_t length, const Array<1, unsigned> row, const Array<1, unsigned> column,
                          const Array<1, T> value, const Array<1, T> x, Array<1, T> y)
    __requires(row.size() == y.size() + 1) __requires(column.size() == value.size());

template <class T>
__codelet __tag(serial) void add_piece(size_t piece, size_t length, const Array<1, unsigned> row,
                                       const Array<1, unsigned> column, const Array<1, T> value, const Array<1, T> x,
                                       Array<1, T> y) {
  size_t rows = y.size(), first = piece * length;
  size_t begin = std::max<size_t>(first, row[0]), end = std::min<size_t>(first + value.size(), row[rows]);
  if (begin < end) {
    size_t r = 0; // the row of `begin`, found by halves
    for (size_t behind = rows; behind - r > 1;) {
      size_t middle = r + (behind - r) / 2;
      if (row[middle] <= begin)
        r = middle;
      else
        behind = middle;
    }
    T accum = 0;
    for (size_t e = begin; e < end; ++e) {
      for (; e >= row[r + 1]; ++r) {
        atomicAdd(y[r], accum);
        accum = 0;
      }
      accum += sparse_multiply(column[e - first], value[e - first], x);
    }
    atomicAdd(y[r], accum);
  }
}

// Lanes load what lies together; then each adds up a run of products.
template <class T>
__codelet __coop __tag(lanes) void add_piece(size_t piece, size_t length, const Array<1, unsigned> row,
                                             const Array<1, unsigned> column, const Array<1, T> value,
                                             const Array<1, T> x, Array<1, T> y) {
  constexpr size_t kRun = 8;
  __shared T products[coopDim() * kRun];
  size_t rows = y.size(), first = piece * length;
  for (size_t base = 0; base < value.size(); base += coopDim() * kRun) {
    for (size_t i = coopIdx(); i < coopDim() * kRun; i += coopDim())
      products[i] = base + i < value.size() ? value[base + i] * x[column[base + i]] : T(0);
    size_t run = first + base + coopIdx() * kRun;
    size_t begin = std::max<size_t>(run, row[0]);
    size_t end = std::min<size_t>(std::min<size_t>(run + kRun, first + value.size()), row[rows]);
    if (begin < end) {
      size_t r = 0;
      for (size_t behind = rows; behind - r > 1;) {
        size_t middle = r + (behind - r) / 2;
        if (row[middle] <= begin)
          r = middle;
        else
          behind = middle;
      }
      T accum = 0;
      for (size_t e = begin; e < end; ++e) {
        for (; e >= row[r + 1]; ++r) {
          atomicAdd(y[r], accum);
          accum = 0;
        }
        accum += products[e - first - base];
      }
      atomicAdd(y[r], accum);
    }
  }
}

// What a row is before anything is added.
template <class T>
__spectrum T nothing(const Array<1, T> row);

template <class T>
__codelet T nothing(const Array<1, T> row) {
  return 0;
}

// As many values in each piece, whatever rows they are of: no long row holds the others up.
template <class T>
__codelet __tag(pieces) void spmv(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, T> value,
                                  const Array<1, T> x, Array<1, T> y) {
  __tunable(values(2048, 4096, 8192)) unsigned length;
  size_t n = value.size(), pieces = (n + length - 1) / length;
  size_t rows = y.size();
  y = map(nothing<T>, partition(value, rows, sequence(row, 0, 1, rows), sequence(1), sequence(row, 1, 1, rows + 1)));
  map(add_piece<T>, range(pieces), length, row,
      partition(column, pieces, sequence(0, length, n), sequence(1), sequence(length, length, n)),
      partition(value, pieces, sequence(0, length, n), sequence(1), sequence(length, length, n)), x, y);
}
