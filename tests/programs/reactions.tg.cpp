// Loops over pairs that add to an element of each of the two.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void forces(const Array<1, float> x, const Array<1, float> y, Array<1, float> fx, Array<1, float> fy)
    __requires(y.size() == x.size() && fx.size() == x.size() && fy.size() == x.size());
__codelet void forces(const Array<1, float> x, const Array<1, float> y, Array<1, float> fx, Array<1, float> fy) {
  int n = x.size();
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      float dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy + 0.01f;
      if (r2 > 0.5f) continue;
      float s = 1 / (r2 * std::sqrt(r2));
      fx[i] += dx * s;
      fy[i] += dy * s;
      fx[j] -= dx * s;
      fy[j] -= dy * s;
    }
}

// Whole numbers, in loops of coordinates.
__spectrum void coordinates(const Array<2, int> x, Array<2, int> f)
    __requires(x.size(1) == 3 && f.size(1) == 3 && f.size(0) == x.size(0));
__codelet void coordinates(const Array<2, int> x, Array<2, int> f) {
  size_t n = x.size(0);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j) {
      int d[3], sum = 1;
      for (int k = 0; k < 3; ++k) {
        d[k] = x[j][k] - x[i][k];
        sum += d[k] * d[k];
      }
      for (int k = 0; k < 3; ++k) {
        f[i][k] += d[k] * (sum % 7);
        f[j][k] -= d[k] * (sum % 7);
      }
    }
}

// Sums of rows and of columns, and of all, which stay with neither.
__spectrum void margins(const Array<2, int> in, Array<1, int> rows, Array<1, int> columns)
    __requires(rows.size() == in.size(0) && columns.size() == in.size(1));
__codelet void margins(const Array<2, int> in, Array<1, int> rows, Array<1, int> columns) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j)
      if (in[i][j] % 2 == 0) {
        rows[i] += in[i][j];
        columns[j]++;
      }
}

// Beside what a function changes.
void count(Array<1, int> &calls, size_t i) { calls[i] += 1; }
__spectrum void counted(const Array<1, int> x, Array<1, int> a, Array<1, int> b, Array<1, int> calls)
    __requires(a.size() == x.size() && b.size() == x.size() && calls.size() == x.size());
__codelet void counted(const Array<1, int> x, Array<1, int> a, Array<1, int> b, Array<1, int> calls) {
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      count(calls, j);
      a[i] += x[j];
      b[j] -= x[i];
    }
}

// Steps of time, each of which begins anew.
__spectrum void steps(int times, const Array<1, int> mass, Array<1, int> at) __requires(at.size() == mass.size());
__codelet void steps(int times, const Array<1, int> mass, Array<1, int> at) {
  size_t n = at.size();
  Array<1, int> f(n);
  for (int t = 0; t < times; ++t) {
    for (size_t i = 0; i < n; ++i) f[i] = 0;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j) {
        int d = (at[j] - at[i]) % 5;
        f[i] += d * mass[j];
        f[j] -= d * mass[i];
      }
    for (size_t i = 0; i < n; ++i) at[i] = (at[i] + f[i]) % 1000;
  }
}
