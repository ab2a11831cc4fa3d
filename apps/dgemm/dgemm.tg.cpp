// C = A B^T for row-major matrices: an element of C is the dot product of a row of A and a row of B.
#include "../common/gemv.tg.h"

template <class T>
__spectrum void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c)
    __requires(c.size(0) == a.size(0)) __requires(c.size(1) == b.size(0)) __requires(a.size(1) == b.size(1));

// A row of C is B times a row of A.
template <class T>
__codelet __tag(rows) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  map(gemv<T>, b, a, c);
}

// Blocks of rows of C ...
template <class T>
__codelet __tag(row_blocks) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  __tunable unsigned p;
  size_t len = a.size(0);
  size_t tile = (len + p - 1) / p;
  map(gemm<T>, partition(a, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), b,
      partition(c, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

// ... and of columns.
template <class T>
__codelet __tag(column_blocks) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  __tunable unsigned p;
  size_t len = b.size(0);
  size_t tile = (len + p - 1) / p;
  auto tiles = partition(c, 1, sequence(0), sequence(1), sequence(c.size(0)),
                         p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len));
  map(gemm<T>, a, partition(b, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), tiles[0]);
}
