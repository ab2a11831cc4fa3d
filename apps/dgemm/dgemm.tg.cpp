// C = A B^T for row-major matrices: an element of C is the dot product of a row of A and a row of B.
#include "../common/gemv.tg.h"
#include <algorithm>

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

// Lanes share dot products: two rows of A with four of B at a time, so that what is loaded is used more than once, and
// some rows of B with all of A before the next.
template <class T>
__codelet __coop __tag(dots) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  constexpr size_t kBlock = 32;
  __shared T parts[coopDim()];
  size_t rows = a.size(0), columns = b.size(0), n = a.size(1);
  for (size_t block = 0; block < columns; block += kBlock)
    for (size_t i = 0; i < rows; i += 2)
      for (size_t j = block; j < block + kBlock && j < columns; j += 4) {
        T dots[8];
        for (int d = 0; d < 8; ++d) dots[d] = 0;
        for (size_t k = coopIdx(); k < n; k += coopDim())
          for (int r = 0; r < 2; ++r)
            for (int s = 0; s < 4; ++s)
              dots[4 * r + s] += a[std::min(i + r, rows - 1)][k] * b[std::min(j + s, columns - 1)][k];
        for (int r = 0; r < 2; ++r)
          for (int s = 0; s < 4; ++s) {
            parts[coopIdx()] = dots[4 * r + s];
            for (unsigned far = 1; far < coopDim(); far *= 2)
              if (coopIdx() + far < coopDim()) parts[coopIdx()] += parts[coopIdx() + far];
            if (coopIdx() == 0 && i + r < rows && j + s < columns) c[i + r][j + s] = parts[0];
          }
      }
}
