// What one iteration stores, and the next one reads: it is kept in a variable.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// A sum in the container, from its first element on.
__spectrum void sums(const Array<1, int> x, Array<1, int> y) __requires(x.size() == y.size());
__codelet void sums(const Array<1, int> x, Array<1, int> y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = i > 0 ? y[i - 1] + x[i] : x[i];
}

// The first element that is read was there before.
__spectrum void filtered(float a, const Array<2, float> x, Array<2, float> y)
    __requires(x.size(0) == y.size(0) && x.size(1) == y.size(1) && a >= 0 && a <= 1);
__codelet void filtered(float a, const Array<2, float> x, Array<2, float> y) {
  for (size_t i = 0; i < x.size(0); ++i)
    for (size_t j = 1; j < x.size(1); ++j) y[i][j] = a * y[i][j - 1] + (1 - a) * x[i][j];
}

// Two containers, of which one needs the other; downwards; narrow numbers; and a sum that is added to.
__spectrum void swept(const Array<2, int> x, Array<2, int> y, Array<2, uint8_t> z)
    __requires(x.size(0) == y.size(0) && x.size(1) == y.size(1) && x.size(0) == z.size(0) && x.size(1) == z.size(1));
__codelet void swept(const Array<2, int> x, Array<2, int> y, Array<2, uint8_t> z) {
  int n = x.size(1);
  for (size_t i = 0; i < x.size(0); ++i) {
    for (int j = 1; j < n; ++j) {
      y[i][j] = y[i][j - 1] % 100 + x[i][j] % 7 - z[i][j - 1];
      z[i][j] = z[i][j - 1] + y[i][j - 1] % 3;
    }
    for (int j = n - 2; j >= 0; --j) y[i][j] += y[i][j + 1] % 10;
    for (int j = n - 1; j > 0; --j) y[i][j - 1] -= x[i][j] % 3 * (y[i][j] % 11);
  }
}

// By twos; what is read is what the iteration before stored only where a condition says so; and what another one
// stored, which is no scalar.
__spectrum void leaps(const Array<2, int> x, Array<2, int> y)
    __requires(x.size(0) == y.size(0) && x.size(1) == y.size(1));
__codelet void leaps(const Array<2, int> x, Array<2, int> y) {
  for (size_t i = 0; i < x.size(0); ++i) {
    for (size_t j = 2; j < x.size(1); j += 2) y[i][j] = y[i][j - 2] / 2 + y[i][j - 1] % 5;
    for (size_t j = 1; j + 1 < x.size(1); ++j)
      y[i][j] = x[i][j] % 2 ? y[i][j - 1] % 50 + x[i][j] % 5 : y[i][j + 1] % 9;
    for (size_t j = 3; j < x.size(1); ++j) y[i][j] = y[i][j - 3] % 4 + x[i][j] % 8;
  }
}

// What is read behind the first iteration alone, by conditions around statements; and conditions that fail again.
__spectrum void guarded(const Array<2, int> x, Array<2, int> y, Array<2, int> z)
    __requires(x.size(0) == y.size(0) && x.size(1) == y.size(1) && x.size(0) == z.size(0) && x.size(1) == z.size(1));
__codelet void guarded(const Array<2, int> x, Array<2, int> y, Array<2, int> z) {
  for (size_t i = 0; i < x.size(0); ++i) {
    for (size_t j = 0; j < x.size(1); ++j) {
      if (j > 0) z[i][j] = y[i][j - 1] % 7;
      y[i][j] = x[i][j] % 9;
    }
    for (size_t j = 0; j < x.size(1); ++j) z[i][j] = std::uint8_t(j) != 0 ? z[i][j - 1] + y[i][j] : y[i][j];
  }
}

// What is added is the value of a function.
float excess(float x, float least) {
  if (x < least) return 0;
  return std::max(x - least, least);
}
__spectrum float helped(const Array<1, float> a);
__codelet float helped(const Array<1, float> a) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += excess(a[i], 0.25f);
  return sum;
}

// A window that moves: what enters it is added, and what leaves it taken away.
__spectrum void windowed(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void windowed(const Array<1, int> in, Array<1, int> out) {
  int n = in.size(), sum = 0;
  for (int i = 0; i < std::min(3, n); ++i) sum += in[i];
  for (int i = 0; i < n; ++i) {
    if (i + 3 < n)
      sum += in[i + 3];
    else
      sum -= 1;
    if (i > 3) sum -= in[i - 4];
    out[i] = sum;
  }
}

// Places that a condition counts, and a greatest value so far: lanes scan what their iterations add.
__spectrum size_t chosen(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet size_t chosen(const Array<1, int> in, Array<1, int> out) {
  size_t n = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    int value = in[i] % 100;
    if (value > 20) out[n++] = value;
  }
  return n;
}

__spectrum void records(const Array<2, int> in, Array<2, int> most)
    __requires(in.size(0) == most.size(0) && in.size(1) == most.size(1));
__codelet void records(const Array<2, int> in, Array<2, int> most) {
  for (size_t i = 0; i < in.size(0); ++i) {
    int greatest = -1000;
    for (size_t j = 0; j < in.size(1); ++j) {
      greatest = std::max(greatest, in[i][j] % 1000);
      most[i][j] = greatest;
    }
  }
}

// Two running values: mean and mean of squares of what has been so far, in whole numbers.
__spectrum void so_far_both(const Array<1, int> in, Array<1, int> sums, Array<1, long long> squares)
    __requires(in.size() == sums.size() && in.size() == squares.size());
__codelet void so_far_both(const Array<1, int> in, Array<1, int> sums, Array<1, long long> squares) {
  int sum = 0;
  long long square = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    square += in[i] * in[i];
    sums[i] = sum;
    squares[i] = square - sum;
  }
}

// Of a window, by what comes and what goes.
__spectrum void moving(const Array<1, float> in, size_t w, Array<1, float> out) __requires(in.size() == out.size());
__codelet void moving(const Array<1, float> in, size_t w, Array<1, float> out) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    squares += double(in[i]) * in[i];
    if (i >= w) {
      sum -= in[i - w];
      squares -= double(in[i - w]) * in[i - w];
    }
    out[i] = float(squares - sum);
  }
}

// Two containers that are filled side by side.
__spectrum size_t parted(const Array<1, int> in, Array<1, int> low, Array<1, int> high)
    __requires(in.size() == low.size() && in.size() == high.size());
__codelet size_t parted(const Array<1, int> in, Array<1, int> low, Array<1, int> high) {
  size_t l = 0, h = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] < 0)
      low[l++] = in[i];
    else
      high[h++] = in[i];
  return l * 1000000 + h;
}

// What is added depends on what there is: no scan.
__spectrum void capped(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void capped(const Array<1, int> in, Array<1, int> out) {
  int sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (sum < 10) sum += in[i];
    out[i] = sum;
  }
}

__spectrum size_t first_few(const Array<1, int> in, size_t most, Array<1, int> out)
    __requires(in.size() == out.size());
__codelet size_t first_few(const Array<1, int> in, size_t most, Array<1, int> out) {
  size_t n = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (n < most) out[n++] = in[i];
  return n;
}

__spectrum void both_ways_added(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void both_ways_added(const Array<1, int> in, Array<1, int> out) {
  int sum = 0, sums = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    sums += sum;
    out[i] = sums;
  }
}

// Sums that take the place of what they add: from the first element on, in front of each, and from the end on.
__spectrum int in_place(Array<1, unsigned> a, Array<1, unsigned> b, Array<1, unsigned> c);
__codelet int in_place(Array<1, unsigned> a, Array<1, unsigned> b, Array<1, unsigned> c) {
  for (size_t i = 1; i < a.size(); ++i) a[i] += a[i - 1];
  unsigned sum = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    unsigned v = b[i];
    b[i] = sum;
    sum += v;
  }
  for (size_t i = 0; i < c.size(); ++i)
    if (c[i] % 3 != 0) {
      sum += c[i];
      c[i] = sum;
    }
  return sum;
}

// Into two containers, one of them what is added; a greatest value beside it.
__spectrum int in_both(Array<1, int> next, Array<1, int> row, Array<1, int> most)
    __requires(row.size() == next.size() + 1 && most.size() == next.size());
__codelet int in_both(Array<1, int> next, Array<1, int> row, Array<1, int> most) {
  int sum = 0, greatest = -1000;
  for (size_t c = 0; c < next.size(); ++c) {
    row[c] = sum;
    sum += next[c];
    next[c] = row[c];
    int v = most[c];
    most[c] = greatest;
    greatest = std::max(greatest, v);
  }
  row[next.size()] = sum;
  return sum + greatest;
}

// What is added has been written by the iteration itself, or is what a later one writes.
__spectrum int written_first(Array<1, int> c, Array<1, int> d) __requires(c.size() == d.size());
__codelet int written_first(Array<1, int> c, Array<1, int> d) {
  int sum = 0;
  for (size_t i = 0; i < c.size(); ++i) {
    if (d[i] > 0) c[i] = d[i] * 3;
    sum += c[i];
    c[i] = sum;
  }
  for (size_t i = 0; i + 1 < d.size(); ++i) {
    sum += d[i + 1];
    d[i] = sum;
  }
  return sum;
}

// Columns and rows of running values in place.
__spectrum void table_of_sums(Array<2, int> c);
__codelet void table_of_sums(Array<2, int> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 1; j < c.size(1); ++j) c[i][j] += c[i][j - 1];
  for (size_t j = 0; j < c.size(1); ++j) {
    int s = 0;
    for (size_t i = 0; i < c.size(0); ++i) {
      int v = c[i][j];
      c[i][j] = s;
      s += v;
    }
  }
}

// Kept side by side, counted without a sign, by twos as well; and counted in numbers so few that they begin again.
__spectrum unsigned counted_up(const Array<1, int> in, Array<1, int> out, Array<1, int> rest, Array<1, int> last)
    __requires(out.size() == 2 * in.size() && rest.size() == in.size() && last.size() == 256);
__codelet unsigned counted_up(const Array<1, int> in, Array<1, int> out, Array<1, int> rest, Array<1, int> last) {
  unsigned n = 0, m = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > 0) {
      out[n] = in[i];
      n += 2;
    } else {
      rest[m++] = in[i];
    }
  unsigned char few = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] < 50) last[few++] = in[i];
  return n + m + few;
}

// Counted on where there is no room any more.
__spectrum unsigned counted_beyond(const Array<1, int> in, Array<1, int> out);
__codelet unsigned counted_beyond(const Array<1, int> in, Array<1, int> out) {
  unsigned n = 3;
  size_t size = in.size();
  for (size_t i = 1; i < size; ++i)
    if (in[i] > 0) {
      if (n < out.size()) out[n] = in[i];
      n += 2;
    }
  return n;
}
