// Containers of one dimension that are used like several.
#include <algorithm>
#include <cstddef>
#include <tangram/tangram.h>

// A product of matrices.
__spectrum void product(int m, int n, int l, const Array<1, float> a, const Array<1, float> b, Array<1, float> c)
    __requires(m >= 0 && n > 0 && l > 0 && a.size() == m * l && b.size() == l * n && c.size() == m * n);
__codelet void product(int m, int n, int l, const Array<1, float> a, const Array<1, float> b, Array<1, float> c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// Windows that are clamped; rows have names, and the container has room for more of them.
__spectrum void window(unsigned height, unsigned width, const Array<1, int> in, Array<1, int> out)
    __requires(height < 1000 && width < 1000 && in.size() >= size_t(height) * width && out.size() == in.size());
__codelet void window(unsigned height, unsigned width, const Array<1, int> in, Array<1, int> out) {
  int h = height, w = width;
  for (int y = 0; y < h; ++y) {
    size_t row = size_t(y) * width;
    for (int x = 0; x < w; ++x) {
      int sum = 0;
      for (int p = -2; p <= 2; ++p)
        for (int q = -1; q <= 1; ++q) {
          int yy = std::clamp(y + p, 0, h - 1), xx = std::clamp(x + q, 0, w - 1);
          sum += in[yy * w + xx] * (p + 2 * q + 5);
        }
      out[row + x] = sum;
    }
  }
}

// A transposed matrix of points, of a number of coordinates that is one.
__spectrum void transposed(size_t m, size_t n, const Array<1, short> in, Array<1, short> out)
    __requires(m < 10000 && n < 10000 && in.size() == m * n * 3 && out.size() == in.size());
__codelet void transposed(size_t m, size_t n, const Array<1, short> in, Array<1, short> out) {
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t c = 0; c < 3; ++c) out[(j * m + i) * 3 + c] = in[(i * n + j) * 3 + c] + c;
}

// Neighbours in three dimensions, and a sum beside.
__spectrum int neighbours(int d, int h, int w, const Array<1, int> in, Array<1, int> out)
    __requires(d > 0 && h > 0 && w > 0 && in.size() == d * h * w && out.size() == in.size());
__codelet int neighbours(int d, int h, int w, const Array<1, int> in, Array<1, int> out) {
  int all = 0;
  for (int z = 1; z < d - 1; ++z)
    for (int y = 1; y < h - 1; ++y)
      for (int x = 1; x < w - 1; ++x) {
        int at = (z * h + y) * w + x;
        out[at] = in[at - 1] + 2 * in[at + 1] + 3 * in[at - w] + 4 * in[at + w] + 5 * in[at - h * w] + 6 * in[at + h * w];
        all += out[at] & 7;
      }
  return all;
}

// Bins of pictures: of one container places in rows are data.
__spectrum void bins(unsigned pictures, unsigned pixels, const Array<1, unsigned> in, Array<1, unsigned> count)
    __requires(pictures < 1000 && pixels < 1000 && in.size() == pictures * pixels && count.size() == pictures * 16);
__codelet void bins(unsigned pictures, unsigned pixels, const Array<1, unsigned> in, Array<1, unsigned> count) {
  for (unsigned p = 0; p < pictures; ++p)
    for (unsigned i = 0; i < pixels; ++i) count[p * 16 + in[p * pixels + i] % 16]++;
}

// Steps of time, from one grid to the other and back.
__spectrum void steps(int times, int n, Array<1, float> a, Array<1, float> b)
    __requires(n > 2 && n < 1000 && a.size() == n * n && b.size() == a.size());
__codelet void steps(int times, int n, Array<1, float> a, Array<1, float> b) {
  for (int t = 0; t < times; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        b[i * n + j] = (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]) / 5;
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) a[i * n + j] = b[i * n + j];
  }
}
