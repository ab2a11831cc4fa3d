// Programs that are nothing but loops: the expander `divide` makes all else of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void product(const Array<2, float> a, const Array<2, float> b, Array<2, float> c)
    __requires(a.size(0) == c.size(0) && b.size(1) == c.size(1) && a.size(1) == b.size(0));
__codelet void product(const Array<2, float> a, const Array<2, float> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

__spectrum void smooth(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void smooth(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j)
      out[i][j] = 0.25f * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
}

__spectrum void softmax(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void softmax(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < in.size(1); ++j) most = std::max(most, in[i][j]);
    float sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) sum += std::exp(in[i][j] - most);
    for (size_t j = 0; j < in.size(1); ++j) out[i][j] = std::exp(in[i][j] - most) / sum;
  }
}

// Counts in 32 bits, every other element, on a condition; integers, and a scalar of the codelet's own.
__spectrum int odd_ones(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet int odd_ones(const Array<1, int> in, Array<1, int> out) {
  unsigned n = in.size();
  int largest = -1, twice;
  for (unsigned i = 1; i < n; i += 2) {
    twice = 2 * in[i];
    if (twice < 6) continue;
    out[i] = twice;
  }
  for (unsigned i = 0; i < n; i++)
    if (in[i] > largest) largest = in[i];
  return largest;
}

// In place: rows follow each other, what is in one does not.
__spectrum void relax(Array<2, int> a);
__codelet void relax(Array<2, int> a) {
  for (size_t i = 1; i < a.size(0); ++i)
    for (size_t j = 0; j < a.size(1); ++j) a[i][j] += a[i - 1][j];
}

// Nothing of this can be divided.
__spectrum void running(Array<1, int> a);
__codelet void running(Array<1, int> a) {
  for (size_t i = 1; i < a.size(); ++i) a[i] += a[i - 1] % 7;
}

// Sums of columns, which are read row by row.
__spectrum void column_sums(const Array<2, float> a, const Array<1, float> x, Array<1, float> y)
    __requires(a.size(0) == x.size() && a.size(1) == y.size());

__codelet void column_sums(const Array<2, float> a, const Array<1, float> x, Array<1, float> y) {
  for (size_t j = 0; j < y.size(); ++j)
    for (size_t i = 0; i < x.size(); ++i) y[j] += a[i][j] * x[i];
}

// A serial loop around a scalar that the second of two loops needs: distributed, with the scalar expanded, and interchanged.
__spectrum void there_and_back(const Array<2, float> a, const Array<1, float> x, Array<1, float> y)
    __requires(a.size(1) == x.size() && a.size(1) == y.size());

__codelet void there_and_back(const Array<2, float> a, const Array<1, float> x, Array<1, float> y) {
  for (size_t j = 0; j < y.size(); ++j) y[j] = 0;
  for (size_t i = 1; i < a.size(0); i += 2) {
    float t = x.size() > 3 ? 1.0f : 0.0f;
    for (size_t j = 0; j < x.size(); ++j) t += a[i][j] * x[j];
    for (size_t j = 0; j < y.size(); ++j) y[j] += a[i][j] * t;
  }
}

// Several reductions in one loop: what parts have is a struct.
__spectrum void moments(const Array<1, float> in, Array<1, float> out) __requires(in.size() > 0 && out.size() == 4);
__codelet void moments(const Array<1, float> in, Array<1, float> out) {
  float least = in[0], most = in[0], sum = 0;
  double squares = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    least = std::min(least, in[i]);
    most = std::max(most, in[i]);
    sum += in[i];
    squares += (double)in[i] * in[i];
  }
  out[0] = least;
  out[1] = most;
  out[2] = sum;
  out[3] = (float)squares;
}

// One loop whose statements have no parallel loop in common, only each one of its own.
__spectrum void both_ways(const Array<2, float> a, const Array<1, float> x, const Array<1, float> y, Array<1, float> down,
                          Array<1, float> across)
    __requires(a.size(1) == x.size() && a.size(0) == y.size() && a.size(1) == down.size() && a.size(0) == across.size());
__codelet void both_ways(const Array<2, float> a, const Array<1, float> x, const Array<1, float> y,
                         Array<1, float> down, Array<1, float> across) {
  for (size_t j = 0; j < x.size(); ++j) down[j] = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    across[i] = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      down[j] = down[j] + y[i] * a[i][j];
      across[i] = across[i] + a[i][j] * x[j];
    }
  }
}

// A running value that iterations make use of: a scan. Before and behind the update, and under a condition.
__spectrum int so_far(const Array<1, int> in, Array<1, int> before, Array<1, int> behind)
    __requires(in.size() == before.size() && in.size() == behind.size());
__codelet int so_far(const Array<1, int> in, Array<1, int> before, Array<1, int> behind) {
  int sum = 5;
  for (size_t i = 0; i < in.size(); ++i) {
    int x = in[i] & 255;
    if (x > 3) before[i] = sum;
    sum += x;
    behind[i] = 2 * sum;
  }
  return sum;
}

// The same in each row.
__spectrum void row_sums(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void row_sums(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) {
      sum += in[i][j];
      out[i][j] = sum;
    }
  }
}

// The largest so far.
__spectrum void peaks(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet void peaks(const Array<1, float> in, Array<1, float> out) {
  float most = -std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < in.size(); ++i) {
    most = std::max(most, in[i]);
    out[i] = most;
  }
}

// Loops that count down, and what is accumulated under a condition.
__spectrum int counted(const Array<1, int> in, Array<1, int> up, Array<1, int> down)
    __requires(in.size() == up.size() && in.size() == down.size());
__codelet int counted(const Array<1, int> in, Array<1, int> up, Array<1, int> down) {
  int n = in.size(), few = 0, many = 0;
  for (int i = n - 1; i >= 0; --i) {
    if (in[i] < 0)
      few += 1;
    else
      many += in[i] & 15;
  }
  for (size_t i = in.size(); i > 0; --i) up[i - 1] = in[i - 1] + 1;
  for (size_t i = in.size(); i-- > 0;) down[i] = 2 * in[i];
  bool any = false;
  for (size_t i = 0; i < in.size(); ++i) any = any || in[i] > 50;
  return 3 * few + many + (any ? 1000 : 0);
}

// What each iteration writes, and the largest of it.
__spectrum float scores(const Array<2, float> keys, const Array<1, float> query, Array<1, float> score)
    __requires(keys.size(0) == score.size() && keys.size(1) == query.size());
__codelet float scores(const Array<2, float> keys, const Array<1, float> query, Array<1, float> score) {
  float most = -std::numeric_limits<float>::infinity();
  for (size_t j = 0; j < score.size(); ++j) {
    float dot = 0;
    for (size_t d = 0; d < query.size(); ++d) dot += keys[j][d] * query[d];
    score[j] = 0.5f * dot;
    most = std::max(most, score[j]);
  }
  return most;
}

// Sums of rows go on in a scalar, those of columns in the container: each kind has loops of its own.
__spectrum void summed(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void summed(const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    int sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) {
      int before = sum;
      sum += in[i][j] % 100;
      out[i][j] = i > 0 ? out[i - 1][j] + sum - before / 2 : sum;
    }
  }
}
