// Scalars that loops set to a constant where a condition holds, and containers that each iteration fills anew.
#include <algorithm>
#include <tangram/tangram.h>

/// Least labels along a row's neighbours, until nothing changes.
__spectrum int settled(const Array<1, int> from, Array<1, int> label) __requires(label.size() == from.size());

__codelet int settled(const Array<1, int> from, Array<1, int> label) {
  size_t n = label.size();
  Array<1, int> next(n);
  int rounds = 0;
  bool changed = true;
  for (size_t i = 0; i < n; ++i) label[i] = from[i];
  while (changed && rounds < 50) {
    changed = false;
    for (size_t i = 0; i < n; ++i) {
      int least = label[i];
      for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; ++j) least = std::min(least, label[j]);
      next[i] = least;
      if (least != label[i]) changed = true;
    }
    for (size_t i = 0; i < n; ++i) label[i] = next[i];
    ++rounds;
  }
  return rounds;
}

/// Truth values that are combined, one that falls, and a number that is 0 or 4.
__spectrum int known(const Array<2, int> a, Array<1, int> rows) __requires(rows.size() == a.size(0));

__codelet int known(const Array<2, int> a, Array<1, int> rows) {
  bool any = false, all = true;
  unsigned many = 0;
  for (size_t i = 0; i < a.size(0); ++i) {
    bool even = true;
    for (size_t j = 0; j < a.size(1); ++j) {
      if (a[i][j] % 2 != 0) even = false;
      any |= a[i][j] > 90;
      all &= a[i][j] > -95;
      if (a[i][j] > 50)
        if (a[i][j] < 60) many = 4;
    }
    rows[i] = even ? 1 : 0;
  }
  return (any ? 1 : 0) + (all ? 2 : 0) + static_cast<int>(many);
}

/// What is read before it is set is no flag that iterations may set in any order.
__spectrum void until(const Array<1, int> a, Array<1, int> out) __requires(out.size() == a.size());

__codelet void until(const Array<1, int> a, Array<1, int> out) {
  bool seen = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > 40) seen = true;
    out[i] = seen ? 1 : 0;
  }
}

/// Which elements lie between marks: a truth value that marks change over is a running one.
__spectrum bool between(const Array<1, int> a, Array<1, int> out) __requires(out.size() == a.size());

__codelet bool between(const Array<1, int> a, Array<1, int> out) {
  bool inside = false, odd = true, other = true;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > 40) inside = !inside;
    odd ^= a[i] % 2 != 0;
    other = other != (a[i] < 0);
    out[i] = (inside ? a[i] : 0) + (odd ? 1000 : 0) + (other ? 2000 : 0);
  }
  return inside;
}

/// Whether there is an odd number of odd ones.
__spectrum bool parity(const Array<1, int> a);

__codelet bool parity(const Array<1, int> a) {
  bool odd = false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] % 2 != 0) odd = !odd;
  return odd;
}

/// Of each row, how far its elements lie from its greatest one: two containers in front of both loops.
__spectrum void below(const Array<3, int> a, Array<2, int> out)
    __requires(out.size(0) == a.size(0) && out.size(1) == a.size(1));

__codelet void below(const Array<3, int> a, Array<2, int> out) {
  size_t n = a.size(2);
  Array<1, int> doubled(n);
  Array<1, int> kept(n);
  for (size_t h = 0; h < a.size(0); ++h)
    for (size_t i = 0; i < a.size(1); ++i) {
      int most = -1000;
      for (size_t j = 0; j < n; ++j) {
        doubled[j] = 2 * a[h][i][j];
        most = std::max(most, doubled[j]);
      }
      for (size_t j = 0; j < n; ++j) kept[j] = most - doubled[j];
      int sum = 0;
      for (size_t j = 0; j < n; ++j) sum += kept[j];
      out[h][i] = sum;
    }
}

/// Where an iteration reads what one before has left, there is one container for all.
__spectrum void left(const Array<2, int> a, Array<1, int> out) __requires(out.size() == a.size(0));

__codelet void left(const Array<2, int> a, Array<1, int> out) {
  size_t n = a.size(1);
  Array<1, int> last(n);
  for (size_t j = 0; j < n; ++j) last[j] = 0;
  for (size_t i = 0; i < a.size(0); ++i) {
    for (size_t j = 0; j < n; ++j)
      if (a[i][j] > 0) last[j] = a[i][j];
    int sum = 0;
    for (size_t j = 0; j < n; ++j) sum += last[j];
    out[i] = sum;
  }
}
