// Containers of one dimension that are used like ones of several, and loops over blocks of a length that is no number.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void normalize(const Array<1, float> in, size_t rows, size_t columns, Array<1, float> out)
    __requires(in.size() == rows * columns && out.size() == rows * columns);
__codelet void normalize(const Array<1, float> in, size_t rows, size_t columns, Array<1, float> out) {
  for (size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (size_t j = 0; j < columns; ++j) sum += in[i * columns + j];
    for (size_t j = 0; j < columns; ++j) out[i * columns + j] = in[i * columns + j] - sum;
  }
}

// Three dimensions, by products written out, and by names of parts.
__spectrum void shifted(const Array<1, int> in, int planes, int rows, int columns, Array<1, int> out)
    __requires(planes >= 0 && rows >= 0 && columns >= 0)
        __requires(in.size() == planes * rows * columns && out.size() == planes * rows * columns);
__codelet void shifted(const Array<1, int> in, int planes, int rows, int columns, Array<1, int> out) {
  for (int p = 0; p < planes; ++p)
    for (int r = 0; r < rows; ++r) {
      int base = (p * rows + r) * columns;
      for (int c = 0; c < columns; ++c) {
        int next = c + 1 < columns ? c + 1 : 0;
        out[p * rows * columns + r * columns + c] = 3 * in[base + next] - in[base + c];
      }
    }
}

// Products of unsigned numbers of 32 bits could wrap around.
__spectrum void scaled(const Array<1, int> in, unsigned rows, unsigned columns, Array<1, int> out)
    __requires(in.size() == rows * columns && out.size() == rows * columns);
__codelet void scaled(const Array<1, int> in, unsigned rows, unsigned columns, Array<1, int> out) {
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j) out[i * columns + j] = 2 * in[i * columns + j];
}

__spectrum void products(const Array<1, float> a, const Array<1, float> b, size_t n, Array<1, float> c)
    __requires(a.size() == n * n && b.size() == n * n && c.size() == n * n);
__codelet void products(const Array<1, float> a, const Array<1, float> b, size_t n, Array<1, float> c) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// Rows that follow from one another are not independent.
__spectrum void down(size_t rows, size_t columns, Array<1, int> a) __requires(a.size() == rows * columns);
__codelet void down(size_t rows, size_t columns, Array<1, int> a) {
  for (size_t i = 1; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) a[i * columns + j] += a[(i - 1) * columns + j];
}

// Nor are rows that overlap.
__spectrum void overlapping(size_t rows, size_t columns, Array<1, int> a) __requires(a.size() >= rows * columns + 1);
__codelet void overlapping(size_t rows, size_t columns, Array<1, int> a) {
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j <= columns; ++j) a[i * columns + j] = 3 * a[i * columns + j] + 1;
}

// Blocks, the last of which may be cut.
__spectrum void blocks(const Array<1, int> in, size_t length, Array<1, int> out)
    __requires(length > 0 && in.size() == out.size());
__codelet void blocks(const Array<1, int> in, size_t length, Array<1, int> out) {
  size_t count = (in.size() + length - 1) / length;
  for (size_t b = 0; b < count; ++b) {
    int sum = 0;
    for (size_t i = b * length; i < std::min((b + 1) * length, in.size()); ++i) sum += in[i];
    for (size_t i = b * length; i < std::min((b + 1) * length, in.size()); ++i) out[i] = in[i] - sum;
  }
}

// Groups of channels.
__spectrum void groups(const Array<2, float> in, size_t count, Array<2, float> out)
    __requires(count > 0 && in.size(0) % count == 0 && out.size(0) == in.size(0) && out.size(1) == in.size(1));
__codelet void groups(const Array<2, float> in, size_t count, Array<2, float> out) {
  size_t each = in.size(0) / count;
  for (size_t g = 0; g < count; ++g) {
    float sum = 0;
    for (size_t c = g * each; c < (g + 1) * each; ++c)
      for (size_t p = 0; p < in.size(1); ++p) sum += in[c][p];
    for (size_t c = g * each; c < (g + 1) * each; ++c)
      for (size_t p = 0; p < in.size(1); ++p) out[c][p] = in[c][p] - sum;
  }
}

// Where a row begins has a name.
__spectrum void named(size_t rows, size_t columns, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == rows * columns && out.size() == in.size());
__codelet void named(size_t rows, size_t columns, const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < rows; ++i) {
    size_t row = i * columns;
    for (size_t j = 0; j < columns; ++j) out[row + j] = in[row + j] * 3 + 1;
  }
}

// An index that goes on from row to row.
__spectrum void appended(const Array<2, int> in, Array<1, int> out) __requires(out.size() == in.size(0) * in.size(1));
__codelet void appended(const Array<2, int> in, Array<1, int> out) {
  int at = 0, h = in.size(0), w = in.size(1);
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < w; ++j) out[at++] = in[i][j];
}
