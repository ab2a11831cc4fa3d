// Passes of loops that `continue` cuts short behind other statements.
#include <cmath>
#include <tangram/tangram.h>

/// A branch that writes, and goes on.
__spectrum void roots(const Array<1, float> a, Array<1, float> y) __requires(y.size() == a.size());

__codelet void roots(const Array<1, float> a, Array<1, float> y) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] < 0) {
      y[i] = 0;
      continue;
    }
    y[i] = std::sqrt(a[i]);
  }
}

/// Loops in front of `continue` and behind it, and sums on both ways.
__spectrum int cleared(const Array<2, int> a, const Array<1, int> label, Array<2, int> g)
    __requires(label.size() == a.size(0) && g.size(0) == a.size(0) && g.size(1) == a.size(1));

__codelet int cleared(const Array<2, int> a, const Array<1, int> label, Array<2, int> g) {
  int loss = 0;
  for (size_t i = 0; i < a.size(0); ++i) {
    if (label[i] < 0) {
      for (size_t c = 0; c < a.size(1); ++c) g[i][c] = 0;
      ++loss;
      continue;
    }
    int sum = 0;
    for (size_t c = 0; c < a.size(1); ++c) {
      if (a[i][c] % 2 == 0) {
        if (a[i][c] % 3 == 0) continue;
        sum += 10;
        continue;
      }
      sum += a[i][c];
    }
    for (size_t c = 0; c < a.size(1); ++c) g[i][c] = a[i][c] + sum;
    loss += sum;
  }
  return loss;
}

/// Branches of which only parts go on: what follows them is done by the rest.
__spectrum void sorted_out(const Array<1, int> a, Array<1, int> y) __requires(y.size() == a.size());

__codelet void sorted_out(const Array<1, int> a, Array<1, int> y) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] < 0) {
      int twice = a[i] * 2;
      if (a[i] < -50) {
        y[i] = twice;
        continue;
      } else if (a[i] < -30) {
        y[i] = twice + 1;
      } else {
        y[i] = 1;
        if (i % 3 == 0) continue;
        y[i] = 3;
      }
      y[i] += 4;
    }
    if (i % 5 == 0) {
      y[i] = 7;
      continue;
    }
    y[i] = a[i] + 1;
  }
}

/// Turns of a loop that data ends.
__spectrum int rounds(Array<1, int> a, Array<1, int> y) __requires(y.size() == a.size());

__codelet int rounds(Array<1, int> a, Array<1, int> y) {
  int round = 0;
  while (round < 9) {
    ++round;
    for (size_t i = 0; i < a.size(); ++i) y[i] = a[i] / 2;
    if (round % 3 == 0) {
      for (size_t i = 0; i < a.size(); ++i) a[i] = y[i] + 1;
      continue;
    }
    if (round % 5 == 0) continue;
    for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] + y[i] % 7;
  }
  return round;
}

/// Kept side by side, as `continue` leaves them.
__spectrum int left_over(const Array<1, int> a, Array<1, int> out, Array<1, int> y)
    __requires(y.size() == a.size() && out.size() == a.size());

__codelet int left_over(const Array<1, int> a, Array<1, int> out, Array<1, int> y) {
  int n = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > 0) {
      y[i] = 1;
      if (a[i] % 4 == 0) continue;
      out[n++] = a[i];
      continue;
    }
    y[i] = n;
  }
  return n;
}
