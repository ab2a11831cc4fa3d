// b += factor * a by tiles of rows and columns: a map over two containers of two dimensions of parts, one of them read and
// written.
#include <tangram/tangram.h>

template <class T>
__spectrum void add_scaled(const Array<2, T> a, T factor, Array<2, T> b)
    __requires(a.size(0) == b.size(0)) __requires(a.size(1) == b.size(1));

template <class T>
__codelet __tag(serial) void add_scaled(const Array<2, T> a, T factor, Array<2, T> b) {
  for (size_t r = 0; r < b.size(0); ++r)
    for (size_t c = 0; c < b.size(1); ++c)
      b[r][c] += factor * a[r][c];
}

template <class T>
__codelet __tag(tiles) void add_scaled(const Array<2, T> a, T factor, Array<2, T> b) {
  __tunable(2, 4) unsigned p;
  __tunable(values(1, 2, 4)) unsigned q;
  size_t rows = b.size(0), columns = b.size(1), high = (rows + p - 1) / p;
  map(add_scaled<T>,
      partition(a, p, sequence(0, high, rows), sequence(1), sequence(high, high, rows),
                q, sequence(0, 1, q), sequence(q), sequence(columns)),
      factor,
      partition(b, p, sequence(0, high, rows), sequence(1), sequence(high, high, rows),
                q, sequence(0, 1, q), sequence(q), sequence(columns)));
}
