// Loops that are divided in another shape, or another order, than that in which they are written.
#include <algorithm>
#include <tangram/tangram.h>

// A triangle of products, and its other half.
__spectrum void triangle(const Array<2, float> a, Array<2, float> c)
    __requires(c.size(0) == a.size(1) && c.size(1) == a.size(1));
__codelet void triangle(const Array<2, float> a, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = i; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(0); ++k) sum += a[k][i] * a[k][j];
      c[i][j] = sum;
      c[j][i] = sum;
    }
}

// Both bounds follow from the loop around; parts of it have no iteration.
__spectrum void band(int width, const Array<1, int> x, Array<2, int> out)
    __requires(out.size(0) == x.size() && width >= 0 && width <= 3);
__codelet void band(int width, const Array<1, int> x, Array<2, int> out) {
  int n = out.size(0), m = out.size(1);
  for (int i = 0; i < n; ++i)
    for (int j = std::max(i - width, 0); j < std::min(i + width + 1, m); ++j) out[i][j] = x[i] * (j - i);
}

// Diagonals are parallel.
__spectrum int paths(const Array<2, int> cost, Array<2, int> least)
    __requires(cost.size(0) == least.size(0) && cost.size(1) == least.size(1));
__codelet int paths(const Array<2, int> cost, Array<2, int> least) {
  int most = 0;
  for (size_t i = 1; i < cost.size(0); ++i)
    for (size_t j = 1; j < cost.size(1); ++j) {
      int before = std::min(least[i - 1][j], least[i][j - 1]);
      least[i][j] = before + cost[i][j];
      most = std::max(most, least[i][j]);
    }
  return most;
}

// In place, from both sides: a sweep of Gauss and Seidel.
__spectrum void sweep(Array<2, float> a);
__codelet void sweep(Array<2, float> a) {
  for (size_t i = 1; i + 1 < a.size(0); ++i)
    for (size_t j = 1; j + 1 < a.size(1); ++j)
      a[i][j] = 0.25f * (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]);
}

// Substitution with a lower triangle whose diagonal is 1.
__spectrum void substitute(const Array<2, int> l, Array<1, int> x)
    __requires(l.size(0) == x.size() && l.size(1) == x.size());
__codelet void substitute(const Array<2, int> l, Array<1, int> x) {
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < i; ++j) x[i] -= l[i][j] % 3 * x[j];
}

// What is kept, in its order, and where it was.
__spectrum size_t kept(int least, const Array<1, int> in, Array<1, int> out, Array<1, int> at)
    __requires(in.size() == out.size() && in.size() == at.size());
__codelet size_t kept(int least, const Array<1, int> in, Array<1, int> out, Array<1, int> at) {
  size_t n = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] >= least) {
      at[n] = i;
      out[n++] = 2 * in[i];
    }
  return n;
}

// What is written may be overwritten, where an iteration ends before the place moves on: no two of these at once.
__spectrum int overwritten(const Array<1, int> in, Array<1, int> out) __requires(out.size() == in.size() + 1);
__codelet int overwritten(const Array<1, int> in, Array<1, int> out) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > 0) {
      out[n] = in[i];
      if (in[i] % 2 == 0) continue;
      n++;
    }
  return n;
}

// Odd numbers, each with a place behind it that is left free.
__spectrum int pairs(const Array<1, int> in, Array<1, int> out) __requires(out.size() == 2 * in.size());
__codelet int pairs(const Array<1, int> in, Array<1, int> out) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    int x = in[i];
    if (x % 2 == 0) continue;
    out[n] = x;
    n += 2;
  }
  return n;
}

// Rows of a product, each with what it is divided by: rows of its own for each iteration.
__spectrum void shares(const Array<2, float> q, const Array<2, float> k, Array<2, float> out)
    __requires(q.size(1) == k.size(1) && out.size(0) == q.size(0) && out.size(1) == k.size(1));
__codelet void shares(const Array<2, float> q, const Array<2, float> k, Array<2, float> out) {
  for (size_t i = 0; i < q.size(0); ++i) {
    Array<1, float> score(k.size(0));
    float all = 1;
    for (size_t j = 0; j < k.size(0); ++j) {
      float dot = 0;
      for (size_t d = 0; d < q.size(1); ++d) dot += q[i][d] * k[j][d];
      score[j] = dot * dot;
      all += score[j];
    }
    for (size_t d = 0; d < k.size(1); ++d) {
      float sum = 0;
      for (size_t j = 0; j < k.size(0); ++j) sum += score[j] * k[j][d];
      out[i][d] = sum / all;
    }
  }
}

// A table outside of functions.
const int kOffset[4] = {0, 2, 1, 3};
const int kFactor[4] = {1, -1, 2, -3};
__spectrum void weighted(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size() + 3);
__codelet void weighted(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += kFactor[k] * in[i + kOffset[k]];
    out[i] = sum;
  }
}

// Windows of neighbouring points, in one dimension and in two.
__spectrum void taps(const Array<1, int> in, const Array<1, int> weight, Array<1, int> out)
    __requires(in.size() == out.size() + 20 && weight.size() == 21);
__codelet void taps(const Array<1, int> in, const Array<1, int> weight, Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    int sum = 0;
    for (size_t k = 0; k < weight.size(); ++k) sum += weight[k] * in[i + k];
    out[i] = sum;
  }
}
__spectrum void around(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void around(const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j) {
      int sum = 0;
      for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) sum += (2 * di + dj) * in[i + di][j + dj];
      out[i][j] = sum;
    }
}

// Products with a triangle: how many terms there are follows from both of an element's indices.
__spectrum void lower(const Array<2, float> a, const Array<2, float> b, Array<2, float> c)
    __requires(c.size(0) == a.size(0) && c.size(1) == b.size(1) && a.size(1) == b.size(0) && a.size(0) <= a.size(1));
__codelet void lower(const Array<2, float> a, const Array<2, float> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k <= i; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

// In place, where all read what later iterations write: of the elements as they were before.
__spectrum void shift(Array<2, int> a);
__codelet void shift(Array<2, int> a) {
  for (size_t i = 0; i + 1 < a.size(0); ++i)
    for (size_t j = 0; j + 1 < a.size(1); ++j) a[i][j] += 2 * a[i + 1][j] - a[i][j + 1] * a[i + 1][j + 1];
}

// The same, of as many as follow.
__spectrum void upper(const Array<2, float> a, Array<2, float> b)
    __requires(a.size(0) == a.size(1) && a.size(0) == b.size(0));
__codelet void upper(const Array<2, float> a, Array<2, float> b) {
  for (size_t i = 0; i < b.size(0); ++i)
    for (size_t j = 0; j < b.size(1); ++j) {
      for (size_t k = i + 1; k < b.size(0); ++k) b[i][j] += a[k][i] * b[k][j];
      b[i][j] *= 2;
    }
}

// Every iteration of i and j waits for that of k, and for no other.
__spectrum void lengths(Array<2, int> path) __requires(path.size(0) == path.size(1));
__codelet void lengths(Array<2, int> path) {
  for (size_t k = 0; k < path.size(0); ++k)
    for (size_t i = 0; i < path.size(0); ++i)
      for (size_t j = 0; j < path.size(0); ++j) path[i][j] = std::min(path[i][j], path[i][k] / 2 + path[k][j] / 2);
}

// Rows wait for the one behind the first of those that are left.
__spectrum void against(Array<2, int> a);
__codelet void against(Array<2, int> a) {
  for (size_t k = 0; k + 1 < a.size(0); ++k)
    for (size_t i = k; i < a.size(0); ++i)
      for (size_t j = 0; j < a.size(1); ++j) a[i][j] = a[i][j] / 2 - a[k + 1][j] / 4;
}

// Images with zeros beyond their edges, whose weights may be infinite.
__spectrum void padded(const Array<2, float> in, const Array<3, float> weights, Array<3, float> out)
    __requires(weights.size(0) == out.size(0) && weights.size(1) == 3 && weights.size(2) == 3)
        __requires(in.size(0) == out.size(1) && in.size(1) == out.size(2));
__codelet void padded(const Array<2, float> in, const Array<3, float> weights, Array<3, float> out) {
  int height = in.size(0), width = in.size(1);
  for (size_t k = 0; k < out.size(0); ++k)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        float sum = 0.5f;
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s) {
            int fromY = y + r - 1, fromX = x + s - 1;
            if (fromY >= 0 && fromY < height && fromX >= 0 && fromX < width)
              sum += weights[k][r][s] * in[fromY][fromX];
          }
        out[k][y][x] = sum;
      }
}

// The same by a value that is zero there, and within less of the image than there is.
__spectrum void framed(const Array<2, int> in, const Array<1, int> weights, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void framed(const Array<2, int> in, const Array<1, int> weights, Array<2, int> out) {
  int height = in.size(0), width = in.size(1), taps = weights.size();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 0, most = 0;
      for (int t = 0; t < taps; ++t) {
        int value = 0;
        if (x + t > 3 && width - 2 >= x + t) value = in[y][x + t - 2];
        sum += weights[t] * value;
        most = std::max(most, y - t >= 1 ? in[y - t][x] : 0);
      }
      out[y][x] = sum + most;
    }
}

// Every second point of a row, beginning at the first or the second one: neighbours are of the other colour.
__spectrum void checkered(const Array<2, double> f, Array<2, double> u)
    __requires(f.size(0) == u.size(0) && f.size(1) == u.size(1));
__codelet void checkered(const Array<2, double> f, Array<2, double> u) {
  for (size_t colour = 0; colour < 2; ++colour)
    for (size_t i = 1; i + 1 < u.size(0); ++i)
      for (size_t j = 1 + (i + colour) % 2; j + 1 < u.size(1); j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}
