// Columns that are scanned: a parallel loop around one that carries a running value.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// From above, with a factor for each column that is found in front of the scan.
__spectrum void sums(const Array<2, int> in, Array<2, long> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void sums(const Array<2, int> in, Array<2, long> out) {
  for (size_t x = 0; x < in.size(1); ++x) {
    int factor = int(x % 3) + 1;
    long sum = 0;
    for (int y = 0; y < int(std::min(size_t(2), in.size(0))); ++y) sum += 1000 * in[y][x];
    for (size_t y = 0; y < in.size(0); ++y) {
      sum += factor * in[y][x];
      out[y][x] = sum - factor;
    }
  }
}

// A window that slides down, of two dimensions of columns.
__spectrum void windows(int radius, const Array<3, float> in, Array<3, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == out.size(2) && radius >= 0);
__codelet void windows(int radius, const Array<3, float> in, Array<3, float> out) {
  int height = in.size(1);
  for (size_t n = 0; n < in.size(0); ++n)
    for (size_t x = 0; x < in.size(2); ++x) {
      float sum = 0;
      for (int y = 0; y < std::min(radius, height); ++y) sum += in[n][y][x];
      for (int y = 0; y < height; ++y) {
        if (y + radius < height) sum += in[n][y + radius][x];
        if (y - radius > 0) sum -= in[n][y - radius - 1][x];
        out[n][y][x] = sum;
      }
    }
}

// The greatest so far, row by row, from an element of the row above: no scan of columns is made of it.
__spectrum void greatest(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void greatest(const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 1; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) out[i][j] = std::max(out[i - 1][j], in[i][j]);
}

// What all rows of a column need is read from what the scan changes: all stays as it is.
__spectrum void follows(Array<2, int> a);
__codelet void follows(Array<2, int> a) {
  for (size_t x = 0; x < a.size(1); ++x) {
    int last = a.size(0) > 0 ? a[a.size(0) - 1][x] : 0, sum = 0;
    for (size_t y = 0; y < a.size(0); ++y) {
      sum += a[y][x];
      a[y][x] = sum + last;
    }
  }
}
