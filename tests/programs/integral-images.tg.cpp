// Sums of rectangles that start in one corner, and other recurrences along two dimensions, as different people write them.
#include <algorithm>
#include <tangram/tangram.h>

// Columns outside, in one dimension; the first column by itself.
__spectrum void columns(int width, int height, const Array<1, unsigned char> in, Array<1, unsigned> out)
    __requires(in.size() == width * height && out.size() == in.size());
__codelet void columns(int width, int height, const Array<1, unsigned char> in, Array<1, unsigned> out) {
  for (int x = 0; x < width; x++) {
    unsigned sum = 0;
    for (int y = 0; y < height; y++) {
      int at = y * width + x;
      sum += in[at];
      if (x == 0)
        out[at] = sum;
      else
        out[at] = out[at - 1] + sum;
    }
  }
}

// Rows outside; what is above is added where there is something.
__spectrum void above(const Array<2, unsigned char> in, Array<2, unsigned> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void above(const Array<2, unsigned char> in, Array<2, unsigned> out) {
  for (size_t y = 0; y < in.size(0); ++y) {
    unsigned row = 0;
    for (size_t x = 0; x < in.size(1); ++x) {
      row += in[y][x];
      unsigned sum = row;
      if (y > 0) sum += out[y - 1][x];
      out[y][x] = sum;
    }
  }
}

// The sums of columns in an array.
__spectrum void kept(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void kept(const Array<2, int> in, Array<2, int> out) {
  Array<1, int> column(in.size(1));
  for (size_t x = 0; x < in.size(1); ++x) column[x] = 0;
  for (size_t y = 0; y < in.size(0); ++y) {
    int sum = 0;
    for (size_t x = 0; x < in.size(1); ++x) {
      column[x] += in[y][x];
      sum += column[x];
      out[y][x] = sum;
    }
  }
}

// Inclusion and exclusion, with a border of zeros.
__spectrum void padded(int width, int height, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == width * height && out.size() == (width + 1) * (height + 1));
__codelet void padded(int width, int height, const Array<1, int> in, Array<1, int> out) {
  for (int x = 0; x <= width; ++x) out[x] = 0;
  for (int y = 0; y <= height; ++y) out[y * (width + 1)] = 0;
  for (int y = 1; y <= height; ++y)
    for (int x = 1; x <= width; ++x)
      out[y * (width + 1) + x] = out[(y - 1) * (width + 1) + x] + out[y * (width + 1) + x - 1] -
                                 out[(y - 1) * (width + 1) + x - 1] + in[(y - 1) * width + x - 1];
}

// The same without.
__spectrum void corners(const Array<2, unsigned> in, Array<2, unsigned> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void corners(const Array<2, unsigned> in, Array<2, unsigned> out) {
  for (size_t y = 0; y < in.size(0); ++y)
    for (size_t x = 0; x < in.size(1); ++x) {
      unsigned sum = in[y][x];
      if (y > 0) sum += out[y - 1][x];
      if (x > 0) sum += out[y][x - 1];
      if (y > 0 && x > 0) sum -= out[y - 1][x - 1];
      out[y][x] = sum;
    }
}

// Products along the middle one of three dimensions.
__spectrum void products(int n, int c, int p, const Array<1, float> x, Array<1, float> y)
    __requires(x.size() == n * c * p && y.size() == x.size());
__codelet void products(int n, int c, int p, const Array<1, float> x, Array<1, float> y) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < c; ++j)
      for (int k = 0; k < p; ++k) {
        int at = (i * c + j) * p + k;
        if (j == 0)
          y[at] = x[at];
        else
          y[at] = y[at - p] * x[at];
      }
}
