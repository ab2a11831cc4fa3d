// Loops that end at the first iteration where a condition holds: what they do there is done for that iteration alone.
#include <tangram/tangram.h>

// The first place of a few, and none.
__spectrum int first_place(int wanted, const Array<1, int> in);
__codelet int first_place(int wanted, const Array<1, int> in) {
  int found = -1;
  for (size_t i = 0; i < in.size(); ++i)
    if ((in[i] & 15) == wanted) {
      found = i;
      break;
    }
  return found;
}

// More than one way to end, each with what it does; what an iteration computes first is its own.
__spectrum int ends(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet int ends(const Array<1, int> in, Array<1, int> out) {
  int kind = 0, at = -1;
  for (int i = 0; i < (int)in.size(); ++i) {
    int x = in[i] & 255;
    if (x < 2) {
      kind = 1;
      at = i;
      break;
    }
    int y = x * 3;
    if (y % 64 == 5) {
      kind = 2;
      out[i] = y;
      break;
    }
    if (x % 2 == 0) continue;
    if (y > 750) {
      ++kind;
      break;
    }
  }
  return 10000 * kind + at;
}

// A while that counts, and ends where it is done.
__spectrum int position(int wanted, const Array<1, int> in);
__codelet int position(int wanted, const Array<1, int> in) {
  size_t i = 0, n = in.size();
  while (i < n && (in[i] & 31) != wanted) ++i;
  size_t j = i + 1;
  for (; j < n; ++j)
    if ((in[j] & 31) == wanted) break;
  return (int)(i * 3 + j);
}

// By a flag in the loop's condition.
__spectrum int flagged(const Array<1, int> in);
__codelet int flagged(const Array<1, int> in) {
  bool found = false;
  int at = 0;
  for (size_t i = 0; i < in.size() && !found; ++i) {
    int x = in[i] % 10;
    if (x == 7) {
      found = true;
      at = i;
    }
  }
  return found ? at : -5;
}

// Out of the codelet, from several loops, one of which counts down.
__spectrum int returned(const Array<1, int> in);
__codelet int returned(const Array<1, int> in) {
  int n = in.size();
  for (int i = 0; i < n; ++i)
    if ((in[i] & 63) == 9) return i;
  for (int i = n - 1; i >= 0; --i) {
    if ((in[i] & 63) == 17) return -i;
  }
  for (int i = 1; i <= n; i += 3)
    if ((in[i - 1] & 7) == 3) return i + 5;
  return n;
}

__spectrum bool is_sorted(const Array<1, int> in);
__codelet bool is_sorted(const Array<1, int> in) {
  for (size_t i = 1; i < in.size(); ++i)
    if ((in[i - 1] & 255) > (in[i] & 255) + 230) return false;
  return true;
}

// Out of two loops in each other.
__spectrum int in_plane(const Array<2, float> in);
__codelet int in_plane(const Array<2, float> in) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j)
      if (in[i][j] > 0.97f) return (int)(i * 1000 + j);
  return -1;
}

// Of each row; the last row decides nothing, and rows that are summed first.
__spectrum void of_rows(const Array<2, float> in, Array<1, int> first, Array<1, int> at)
    __requires(in.size(0) == first.size() && in.size(0) == at.size());
__codelet void of_rows(const Array<2, float> in, Array<1, int> first, Array<1, int> at) {
  for (size_t i = 0; i < in.size(0); ++i) {
    int found = -1;
    for (int j = 0; j < (int)in.size(1); ++j)
      if (in[i][j] > 0.9f) {
        found = j;
        break;
      }
    first[i] = found;
  }
  for (size_t i = 0; i < in.size(0); ++i) {
    int positive = 0;
    for (size_t j = 0; j < in.size(1); ++j) positive += in[i][j] > 0 ? 1 : 0;
    at[i] = positive;
    if (positive < 3) return;
  }
}

// A row that has few of a kind.
__spectrum int first_row(const Array<2, float> in);
__codelet int first_row(const Array<2, float> in) {
  int row = in.size(0);
  for (size_t i = 0; i < in.size(0); ++i) {
    int positive = 0;
    for (size_t j = 0; j < in.size(1); ++j) positive += in[i][j] > 0 ? 1 : 0;
    if (2 * positive < (int)in.size(1)) {
      row = i;
      break;
    }
  }
  return row;
}

// No searches: indices that are loaded, sums that end with the loop, and what is stored on the way.
__spectrum int through(const Array<1, int> next, const Array<1, int> value) __requires(next.size() == value.size());
__codelet int through(const Array<1, int> next, const Array<1, int> value) {
  int n = value.size(), at = 0;
  for (int i = 0; i < n; ++i) {
    int k = next[i];
    if (k < 0 || k >= n) break;
    if (value[k] % 9 == 4) {
      at = i;
      break;
    }
  }
  return at;
}
__spectrum int loaded(const Array<1, int> next, const Array<1, int> value) __requires(next.size() == value.size());
__codelet int loaded(const Array<1, int> next, const Array<1, int> value) {
  int n = value.size(), at = -1;
  for (int i = 0; i < n; ++i) {
    if (next[i] < 0 || next[i] >= n || value[next[i]] % 9 == 4) {
      at = i;
      break;
    }
  }
  return at;
}
__spectrum int summed(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet int summed(const Array<1, int> in, Array<1, int> out) {
  int sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i] & 3;
    if (in[i] % 50 == 0) break;
  }
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] + 1;
    if (in[i] % 60 == 1) break;
  }
  return sum;
}
