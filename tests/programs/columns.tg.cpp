// y = A x by blocks of columns: rows of a container of parts, partial results in a container of two dimensions, and sums
// along its columns.
#include "../../apps/sgemv/sgemv.tg.cpp"

template <class T>
__spectrum void sum_rows(const Array<2, T> a, Array<1, T> y) __requires(a.size(1) == y.size());

template <class T>
__codelet __tag(serial) void sum_rows(const Array<2, T> a, Array<1, T> y) {
  for (size_t c = 0; c < y.size(); ++c) {
    T accum = 0;
    for (size_t r = 0; r < a.size(0); ++r)
      accum += a[r][c];
    y[c] = accum;
  }
}

template <class T>
__codelet __tag(strided) void sum_rows(const Array<2, T> a, Array<1, T> y) {
  __tunable unsigned p;
  size_t len = y.size();
  auto tiles = partition(a, 1, sequence(0), sequence(1), sequence(a.size(0)),
                         p, sequence(0, 1, p), sequence(p), sequence(len));
  map(sum_rows<T>, tiles[0], partition(y, p, sequence(0, 1, p), sequence(p), sequence(len)));
}

template <class T>
__codelet __tag(columns) void gemv(const Array<2, T> a, const Array<1, T> x, Array<1, T> y) {
  __tunable unsigned p;
  size_t len = x.size();
  size_t tile = (len + p - 1) / p;
  auto tiles = partition(a, 1, sequence(0), sequence(1), sequence(a.size(0)),
                         p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len));
  Array<2, T> partial(p, a.size(0));
  map(gemv<T>, tiles[0], partition(x, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), partial);
  sum_rows(partial, y);
}
