// C = A B^T, tiled by hand: cooperative codelets with arrays of their own, tiles in scratchpad memory, and numbers of tiles.
#include "../../apps/common/gemv.tg.h"
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

// Lanes have columns of C side by side: a part of as many rows of B is turned, so that they read it side by side, and the
// rows of A go over it, some at a time, whose elements they share.
template <class T>
__codelet __coop __tag(panels) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  constexpr size_t kPanel = 4096, kRows = 8;
  __shared T panel[kPanel < coopDim() ? coopDim() : kPanel];
  size_t rows = a.size(0), columns = b.size(0), n = a.size(1), most = std::max(kPanel / coopDim(), size_t(1));
  for (size_t first = 0; first < columns; first += coopDim()) {
    size_t column = first + coopIdx();
    for (size_t from = 0; from == 0 || from < n; from += most) {
      size_t depth = std::min(most, n - from);
      for (size_t k = 0; k < depth; ++k)
        panel[k * coopDim() + coopIdx()] = b[std::min(column, columns - 1)][from + k];
      for (size_t i = 0; i < rows; i += kRows) {
        T sums[kRows];
        for (size_t r = 0; r < kRows; ++r) sums[r] = 0;
        for (size_t k = 0; k < depth; ++k)
          for (size_t r = 0; r < kRows; ++r)
            sums[r] += a[std::min(i + r, rows - 1)][from + k] * panel[k * coopDim() + coopIdx()];
        for (size_t r = 0; r < kRows; ++r)
          if (i + r < rows && column < columns) {
            if (from == 0) c[i + r][column] = sums[r];
            else c[i + r][column] += sums[r];
          }
      }
    }
  }
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

constexpr size_t kDown = 64, kAcross = 128; // elements of a tile of C

// One tile of C, counted along its rows.
template <class T>
__spectrum void gemm_tile(size_t tile, const Array<2, T> a, const Array<2, T> b, Array<2, T> c);

// Lanes load as much of A and B as the tile needs, some columns at a time, and each has a patch of 4 x 8 elements of C: a
// row of them apart, so that lanes read side by side.
template <class T>
__codelet __coop __tag(patches) void gemm_tile(size_t tile, const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  constexpr unsigned kDepth = 16, kPitch = kDepth + 1, kRows = 4, kColumns = 8;
  constexpr unsigned kPatches = kDown / kRows * kAcross / kColumns, kStep = kAcross / kColumns;
  __shared T left[kDown * kPitch];
  __shared T right[kAcross * kPitch];
  size_t rows = a.size(0), columns = b.size(0), n = a.size(1), tiles = (columns + kAcross - 1) / kAcross;
  size_t top = tile / tiles * kDown, first = tile % tiles * kAcross;
  for (unsigned round = 0; round < kPatches; round += coopDim()) {
    unsigned patch = round + coopIdx(), x = patch % kStep, y = patch / kStep;
    T sums[kRows * kColumns];
    for (unsigned r = 0; r < kRows; ++r)
      for (unsigned s = 0; s < kColumns; ++s) sums[kColumns * r + s] = 0;
    for (size_t from = 0; from < n; from += kDepth) {
      for (unsigned e = coopIdx(); e < kDown * kDepth; e += coopDim()) {
        unsigned i = e / kDepth, k = e % kDepth;
        left[i * kPitch + k] = top + i < rows && from + k < n ? a[top + i][from + k] : T(0);
      }
      for (unsigned e = coopIdx(); e < kAcross * kDepth; e += coopDim()) {
        unsigned j = e / kDepth, k = e % kDepth;
        right[j * kPitch + k] = first + j < columns && from + k < n ? b[first + j][from + k] : T(0);
      }
      if (patch < kPatches)
        for (unsigned k = 0; k < kDepth; ++k)
          for (unsigned r = 0; r < kRows; ++r)
            for (unsigned s = 0; s < kColumns; ++s)
              sums[kColumns * r + s] +=
                  left[(y + kDown / kRows * r) * kPitch + k] * right[(x + kStep * s) * kPitch + k];
    }
    if (patch < kPatches)
      for (unsigned r = 0; r < kRows; ++r)
        for (unsigned s = 0; s < kColumns; ++s) {
          size_t i = top + y + kDown / kRows * r, j = first + x + kStep * s;
          if (i < rows && j < columns) c[i][j] = sums[kColumns * r + s];
        }
  }
}

template <class T>
__codelet __tag(tiles) void gemm(const Array<2, T> a, const Array<2, T> b, Array<2, T> c) {
  size_t down = (a.size(0) + kDown - 1) / kDown, across = (b.size(0) + kAcross - 1) / kAcross;
  map(gemm_tile<T>, range(down * across), a, b, c);
}
