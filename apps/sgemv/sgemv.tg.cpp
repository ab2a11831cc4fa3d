// y = A x for a row-major matrix, from dot products of rows.
#include "../common/gemv.tg.h"

// A block of columns at a time, whose dot products are parts of what the rows give: for fewer rows than there are workers.
template <class T>
__codelet __tag(column_blocks) void gemv(const Array<2, T> a, const Array<1, T> x, Array<1, T> y) {
  __tunable unsigned p;
  size_t rows = a.size(0), len = a.size(1), tile = (len + p - 1) / p;
  auto blocks = partition(a, 1, sequence(0), sequence(1), sequence(rows),
                          p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len));
  Array<1, T> parts(p * rows);
  map(gemv<T>, blocks[0], partition(x, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)),
      partition(parts, p, sequence(0, rows, p * rows), sequence(1), sequence(rows, rows, p * rows)));
  y = map(sum<T>, partition(parts, rows, sequence(0, 1, rows), sequence(rows), sequence(p * rows)));
}
