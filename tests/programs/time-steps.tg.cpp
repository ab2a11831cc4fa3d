// Steps of time over a grid, in tiles that overlap.
#include <algorithm>
#include <tangram/tangram.h>

/// From one container to the other and back; ends stay as they are.
__spectrum void there_and_back(int steps, Array<1, int> a, Array<1, int> b) __requires(b.size() == a.size());

__codelet void there_and_back(int steps, Array<1, int> a, Array<1, int> b) {
  int n = a.size();
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i) b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; ++i) a[i] = b[i - 1] + b[i + 1] - b[i] + t;
  }
}

/// A copy behind each step, indices that are clamped, a step of two dimensions.
__spectrum void clamped(unsigned steps, const Array<2, int> power, Array<2, int> heat)
    __requires(power.size(0) == heat.size(0) && power.size(1) == heat.size(1));

__codelet void clamped(unsigned steps, const Array<2, int> power, Array<2, int> heat) {
  int rows = heat.size(0), columns = heat.size(1);
  Array<2, int> next(rows, columns);
  for (unsigned t = 0; t < steps; ++t) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int north = heat[std::max(i - 1, 0)][j], south = heat[std::min(i + 1, rows - 1)][j];
        int west = heat[i][std::max(j - 2, 0)], east = heat[i][std::min(j + 2, columns - 1)];
        next[i][j] = (heat[i][j] + power[i][j] + north + south + west + east) / 5;
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) heat[i][j] = next[i][j];
  }
}

/// Two containers that each step changes in place, and sizes of 64 bits without a sign.
__spectrum void waves(unsigned steps, const Array<1, int> damp, Array<2, int> height, Array<2, int> velocity)
    __requires(velocity.size(0) == height.size(0) && velocity.size(1) == height.size(1) &&
               damp.size() == height.size(1));

__codelet void waves(unsigned steps, const Array<1, int> damp, Array<2, int> height, Array<2, int> velocity) {
  size_t rows = height.size(0), columns = height.size(1);
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 1; i + 1 < rows; ++i)
      for (size_t j = 1; j + 1 < columns; ++j) {
        int bend = height[i - 1][j] + height[i + 1][j] + height[i][j - 1] + height[i][j + 1] - 4 * height[i][j];
        velocity[i][j] = (velocity[i][j] + bend) / 2 + damp[j];
      }
    for (size_t i = 1; i + 1 < rows; ++i)
      for (size_t j = 1; j + 1 < columns; ++j) height[i][j] += velocity[i][j];
  }
}

/// A row that follows from the step, and loops with different ends.
__spectrum void driven(const Array<1, int> source, Array<2, int> e, Array<2, int> h)
    __requires(h.size(0) == e.size(0) && h.size(1) == e.size(1) && e.size(0) > 0);

__codelet void driven(const Array<1, int> source, Array<2, int> e, Array<2, int> h) {
  size_t rows = e.size(0), columns = e.size(1);
  for (size_t t = 0; t < source.size(); ++t) {
    for (size_t j = 0; j < columns; ++j) e[0][j] = source[t];
    for (size_t i = 1; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) e[i][j] -= (h[i][j] - h[i - 1][j]) / 2;
    for (size_t i = 0; i + 1 < rows; ++i)
      for (size_t j = 0; j < columns; ++j) h[i][j] -= (e[i + 1][j] - e[i][j]) / 3;
  }
}

/// Three dimensions, and a window of which a loop goes through.
__spectrum void solid(int steps, Array<3, int> a, Array<3, int> b)
    __requires(a.size(0) == b.size(0) && a.size(1) == b.size(1) && a.size(2) == b.size(2));

__codelet void solid(int steps, Array<3, int> a, Array<3, int> b) {
  int ni = a.size(0), nj = a.size(1), nk = a.size(2);
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < ni - 1; ++i)
      for (int j = 0; j < nj; ++j)
        for (int k = 1; k < nk - 1; ++k) {
          int sum = 0;
          for (int d = -1; d <= 1; ++d) sum += a[i + d][j][k] + a[i][j][k - d];
          b[i][j][k] = sum / 4;
        }
    for (int i = 0; i < ni; ++i)
      for (int j = 1; j < nj - 1; ++j)
        for (int k = 0; k < nk; ++k) a[i][j][k] = (b[i][j - 1][k] + b[i][j + 1][k]) / 2;
  }
}

/// What is read on a condition, a row of another container for each step, and a `continue`.
__spectrum void ways(const Array<2, int> cost, Array<1, int> best) __requires(best.size() == cost.size(1));

__codelet void ways(const Array<2, int> cost, Array<1, int> best) {
  int rows = cost.size(0), columns = cost.size(1);
  Array<1, int> above(columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) above[j] = best[j];
    for (int j = 0; j < columns; ++j) {
      int least = above[j];
      if (j > 0) least = std::min(least, above[j - 1]);
      if (j < columns - 1) least = std::min(least, above[j + 1]);
      best[j] = least + cost[i][j];
    }
  }
}

/// Two containers that are copied in one loop behind each step, and a third one by itself.
__spectrum void together(int steps, Array<2, int> a, Array<2, int> b, Array<2, int> c)
    __requires(b.size(0) == a.size(0) && b.size(1) == a.size(1) && c.size(0) == a.size(0) && c.size(1) == a.size(1));

__codelet void together(int steps, Array<2, int> a, Array<2, int> b, Array<2, int> c) {
  int rows = a.size(0), columns = a.size(1);
  Array<2, int> x(rows, columns), y(rows, columns), z(rows, columns);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int north = std::max(i - 1, 0), east = std::min(j + 1, columns - 1);
        x[i][j] = (a[i][j] + b[north][j] + c[i][east]) / 2;
        y[i][j] = b[i][j] - a[i][east];
        z[i][j] = c[north][j] + t;
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        a[i][j] = x[i][j];
        b[i][j] = y[i][j];
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) c[i][j] = z[i][j];
  }
}
