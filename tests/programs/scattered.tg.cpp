// Loops whose iterations write, or add to, elements that others do as well: at places that data tells, or that several
// iterators do.
#include <tangram/tangram.h>

__spectrum void placed(const Array<1, int> to, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == to.size());
__codelet void placed(const Array<1, int> to, const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < to.size(); ++i) out[to[i]] = in[i] + 1;
}

// Down, from a place that is no number, with a sum in front.
__spectrum void downwards(const Array<1, int> to, const Array<2, int> in, Array<1, int> out)
    __requires(in.size(0) == to.size());
__codelet void downwards(const Array<1, int> to, const Array<2, int> in, Array<1, int> out) {
  int n = to.size();
  for (int i = n - 1; i >= 0; --i) {
    int sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) sum += in[i][j];
    if (sum % 3 != 0) out[to[i]] = sum;
  }
}

// Rows, of which each has columns of its own.
__spectrum void rows(const Array<1, int> to, const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == to.size() && out.size(1) == in.size(1));
__codelet void rows(const Array<1, int> to, const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = i % 2; j < in.size(1); ++j) out[to[i]][j] = in[i][j];
}

// In a picture of each row.
__spectrum void each_row(const Array<2, int> to, const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == to.size(0) && in.size(1) == to.size(1) && out.size(0) == in.size(0));
__codelet void each_row(const Array<2, int> to, const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j)
      if (to[i][j] < (int)out.size(1)) out[i][to[i][j]] = in[i][j];
}

// Two at one place, and a third one of its own; one of them is the codelet's own.
__spectrum void pairs(const Array<1, int> to, const Array<1, int> key, const Array<1, int> value, Array<1, int> keys,
                      Array<1, int> values)
    __requires(key.size() == to.size() && value.size() == to.size() && values.size() == keys.size());
__codelet void pairs(const Array<1, int> to, const Array<1, int> key, const Array<1, int> value, Array<1, int> keys,
                     Array<1, int> values) {
  Array<1, int> own(keys.size());
  for (size_t v = 0; v < own.size(); ++v) own[v] = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    int at = to[i];
    keys[at] = key[i];
    own[at] = value[i];
    if (key[i] % 2 == 0) values[own.size() - 1 - at] = value[i];
  }
  for (size_t v = 0; v < own.size(); ++v) keys[v] += own[v] * 3;
}

__spectrum int marked(const Array<1, int> at, Array<1, unsigned char> seen);
__codelet int marked(const Array<1, int> at, Array<1, unsigned char> seen) {
  for (size_t v = 0; v < seen.size(); ++v) seen[v] = 0;
  for (size_t i = 0; i < at.size(); ++i)
    if (i % 4 != 3) seen[at[i]] = 1;
  int count = 0;
  for (size_t v = 0; v < seen.size(); ++v) count += seen[v];
  return count;
}

// A value that only a caller knows, of a type that no device exchanges.
__spectrum void flagged(bool value, const Array<1, int> at, Array<1, bool> flag);
__codelet void flagged(bool value, const Array<1, int> at, Array<1, bool> flag) {
  for (size_t i = 0; i < at.size(); ++i) flag[at[i]] = value;
}

__spectrum void polynomial(const Array<1, int> a, const Array<1, int> b, Array<1, int> c)
    __requires(a.size() > 0 && b.size() > 0 && c.size() == a.size() + b.size() - 1);
__codelet void polynomial(const Array<1, int> a, const Array<1, int> b, Array<1, int> c) {
  for (size_t i = 0; i < c.size(); ++i) c[i] = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
}

// Differences of places, with a declaration that stands further out, and a condition.
__spectrum void correlated(const Array<1, int> a, const Array<1, int> b, Array<1, int> c)
    __requires(a.size() > 0 && b.size() > 0 && c.size() == a.size() + b.size());
__codelet void correlated(const Array<1, int> a, const Array<1, int> b, Array<1, int> c) {
  int n = a.size(), m = b.size();
  for (int i = 0; i < n; ++i) {
    int x = a[i] * 3;
    for (int j = 0; j < m; ++j) {
      int y = b[j] - x;
      if (i + j > 1) c[i - j + m] += x * y;
    }
  }
}

// A transposed convolution with stride 2; sums of floating-point numbers keep their order.
__spectrum void transposed(const Array<3, float> in, const Array<4, float> w, Array<3, float> out)
    __requires(w.size(0) == in.size(0) && w.size(1) == out.size(0))
        __requires(in.size(1) > 0 && in.size(2) > 0 && out.size(1) == in.size(1) * 2 - 2 + w.size(2) &&
                   out.size(2) == in.size(2) * 2 - 2 + w.size(3));
__codelet void transposed(const Array<3, float> in, const Array<4, float> w, Array<3, float> out) {
  int ci = in.size(0), h = in.size(1), wd = in.size(2), co = w.size(1), kh = w.size(2), kw = w.size(3);
  for (int o = 0; o < co; ++o)
    for (size_t y = 0; y < out.size(1); ++y)
      for (size_t x = 0; x < out.size(2); ++x) out[o][y][x] = 0;
  for (int c = 0; c < ci; ++c)
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < wd; ++x)
        for (int o = 0; o < co; ++o)
          for (int p = 0; p < kh; ++p)
            for (int q = 0; q < kw; ++q) out[o][2 * y + p][2 * x + q] += in[c][y][x] * w[c][o][p][q];
}

// Each pixel is added to where its square of 3 x 3 has it, and how often that was.
__spectrum void splatted(const Array<2, int> in, Array<2, int> sum, Array<2, int> count)
    __requires(sum.size(0) == in.size(0) && sum.size(1) == in.size(1) && count.size(0) == in.size(0) &&
               count.size(1) == in.size(1));
__codelet void splatted(const Array<2, int> in, Array<2, int> sum, Array<2, int> count) {
  int h = in.size(0), w = in.size(1);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int q = -1; q <= 1; ++q)
        for (int p = -1; p <= 1; ++p) {
          int ny = y + q, nx = x + p;
          if (ny < 0 || nx < 0 || ny >= h || nx >= w) continue;
          sum[ny][nx] += in[y][x] * (2 + q * p);
          count[ny][nx] += 1;
        }
}

// Frames that overlap, or do not, as a caller says.
__spectrum void frames(int hop, const Array<2, float> in, const Array<1, float> window, Array<1, float> out)
    __requires(hop > 0 && window.size() == in.size(1) && out.size() >= in.size(0) * hop + in.size(1));
__codelet void frames(int hop, const Array<2, float> in, const Array<1, float> window, Array<1, float> out) {
  for (size_t f = 0; f < in.size(0); ++f)
    for (size_t k = 0; k < in.size(1); ++k) out[f * hop + k] += in[f][k] * window[k];
}
