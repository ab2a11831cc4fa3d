// Tables of a batch, each of which is found along its diagonals.
#include <algorithm>
#include <tangram/tangram.h>

// As far as each one's own lengths.
__spectrum void lengths(const Array<3, float> cost, const Array<1, int> rows, const Array<1, int> columns,
                        Array<3, float> best, Array<1, float> last)
    __requires(best.size(0) == cost.size(0) && best.size(1) == cost.size(1) && best.size(2) == cost.size(2) &&
               rows.size() == cost.size(0) && columns.size() == cost.size(0) && last.size() == cost.size(0) &&
               cost.size(1) > 0 && cost.size(2) > 0);
__codelet void lengths(const Array<3, float> cost, const Array<1, int> rows, const Array<1, int> columns,
                       Array<3, float> best, Array<1, float> last) {
  for (size_t b = 0; b < cost.size(0); ++b) {
    int n = std::clamp(rows[b], 1, (int)cost.size(1)), m = std::clamp(columns[b], 0, (int)cost.size(2) - 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= m; ++j) {
        float before = 0;
        if (i == 0 && j > 0)
          before = best[b][0][j - 1];
        else if (i > 0 && j == 0)
          before = best[b][i - 1][0];
        else if (i > 0)
          before = std::min(best[b][i - 1][j], best[b][i][j - 1]);
        best[b][i][j] = before + cost[b][i][j];
      }
    last[b] = best[b][n - 1][m];
  }
}

// In a table that each iteration declares.
__spectrum void distances(const Array<2, int> a, const Array<2, int> b, Array<1, int> distance)
    __requires(a.size(0) == distance.size() && b.size(0) == distance.size());
__codelet void distances(const Array<2, int> a, const Array<2, int> b, Array<1, int> distance) {
  int n = a.size(1), m = b.size(1);
  for (size_t p = 0; p < distance.size(); ++p) {
    Array<2, int> d(n + 1, m + 1);
    for (int i = 0; i <= n; ++i) d[i][0] = i;
    for (int j = 0; j <= m; ++j) d[0][j] = j;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= m; ++j)
        d[i][j] = std::min(std::min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[p][i - 1] % 4 != b[p][j - 1] % 4));
    distance[p] = d[n][m];
  }
}

// Of pairs, some of which are left out, with unsigned lengths.
__spectrum void alike(const Array<2, int> a, const Array<2, int> b, const Array<1, unsigned> rows, Array<3, int> table,
                      Array<2, int> most)
    __requires(rows.size() == a.size(0) && table.size(0) == a.size(0) && table.size(1) == a.size(1) &&
               table.size(2) == b.size(1) && most.size(0) == a.size(0) && most.size(1) == 1);
__codelet void alike(const Array<2, int> a, const Array<2, int> b, const Array<1, unsigned> rows, Array<3, int> table,
                     Array<2, int> most) {
  for (size_t p = 0; p < a.size(0); ++p)
    for (size_t q = 0; q < most.size(1); ++q) {
      size_t n = std::min(size_t(rows[p] % 1024), a.size(1));
      if (n < 2 || b.size(0) == 0) continue;
      int longest = 0;
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < b.size(1); ++j) {
          int before = i > 0 && j > 0 ? table[p][i - 1][j - 1] : 0;
          int beside = std::max(i > 0 ? table[p][i - 1][j] : 0, j > 0 ? table[p][i][j - 1] : 0);
          int v = a[p][i] % 4 == b[0][j] % 4 ? before + 1 : beside;
          table[p][i][j] = v;
          longest = std::max(longest, v);
        }
      most[p][q] = longest;
    }
}

// Sweeps in place, and beside them what is parallel.
__spectrum void sweeps(int times, Array<2, float> a, Array<1, float> row)
    __requires(row.size() == a.size(0) && a.size(0) > 1 && a.size(1) > 1);
__codelet void sweeps(int times, Array<2, float> a, Array<1, float> row) {
  for (int t = 0; t < times; ++t) {
    for (size_t i = 1; i < a.size(0); ++i)
      for (size_t j = 1; j < a.size(1); ++j) a[i][j] = 0.5f * (a[i - 1][j] + a[i][j - 1]);
    for (size_t i = 0; i < a.size(0); ++i) row[i] += a[i][1];
  }
}

// One row of the table at a time, with what an element leaves to the next one, and the best of all.
__spectrum void rows(int open, const Array<1, int> a, const Array<2, int> b, Array<1, int> best, Array<1, float> sum)
    __requires(best.size() == b.size(0) && sum.size() == b.size(0));
__codelet void rows(int open, const Array<1, int> a, const Array<2, int> b, Array<1, int> best, Array<1, float> sum) {
  int m = a.size(), n = b.size(1);
  for (size_t p = 0; p < b.size(0); ++p) {
    Array<1, int> h(m + 1), e(m + 1);
    for (int j = 0; j <= m; ++j) h[j] = e[j] = 0;
    int most = 0;
    float all = sum[p];
    for (int i = 0; i < n; ++i) {
      int diagonal = i % 3, f = 0;
      for (int j = 1; j <= m; ++j) {
        e[j] = std::max(e[j] - 1, h[j] - open);
        f = std::max(f - 1, h[j - 1] - open);
        int v = std::max(std::max(0, diagonal + (a[j - 1] % 4 == b[p][i] % 4 ? 3 : -2)), std::max(e[j], f));
        diagonal = h[j];
        h[j] = v;
        most = std::max(most, v);
        all += v;
      }
    }
    best[p] = most;
    sum[p] = all;
  }
}
