// Extreme values with their places and what else belongs to them: which of equal ones it is, and what is no number.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

// The first of equal ones, among few different values.
__spectrum int first_greatest(const Array<1, int> in);
__codelet int first_greatest(const Array<1, int> in) {
  int most = std::numeric_limits<int>::min(), at = -1;
  for (size_t i = 0; i < in.size(); ++i)
    if ((in[i] & 7) > most) {
      most = in[i] & 7;
      at = i;
    }
  return at;
}

// The last of equal ones; a value before the loop that some are equal to, and some are not.
__spectrum int last_least(const Array<1, int> in);
__codelet int last_least(const Array<1, int> in) {
  int least = 2, at = -1, what = 17;
  for (int i = 0; i < (int)in.size(); ++i)
    if ((in[i] & 15) + 2 <= least) {
      at = i;
      what = in[i];
      least = (in[i] & 15) + 2;
    }
  return 3 * at + (what & 255) + least;
}

// Some are no numbers; all are in parts of a few.
__spectrum double with_nan(const Array<1, int> in);
__codelet double with_nan(const Array<1, int> in) {
  float most = -4;
  double payload = 0.5;
  long at = -1;
  for (size_t i = 0; i < in.size(); ++i) {
    float x = (in[i] & 3) != 0 ? std::sqrt(-1.0f) : (float)(in[i] & 31) - 8;
    if (most <= x) {
      most = x;
      payload = in[i] & 1023;
      at = i;
    }
  }
  return at * 1024.0 + payload + most;
}

// What is no number before the loop stays.
__spectrum int none(const Array<1, float> in);
__codelet int none(const Array<1, float> in) {
  float most = std::sqrt(-1.0f);
  int at = 5;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] >= most) {
      most = in[i];
      at = i;
    }
  return at;
}

// Both ends, a sum and a count in one loop; as conditional expressions, and under a condition.
__spectrum int ends(const Array<1, int> in, const Array<1, int> valid) __requires(in.size() == valid.size());
__codelet int ends(const Array<1, int> in, const Array<1, int> valid) {
  int most = -1, least = 100, atMost = -1, atLeast = -1, sum = 0, even = -1, atEven = 0;
  for (size_t i = 1; i < in.size(); i += 2) {
    int x = in[i] & 63;
    atMost = x > most ? (int)i : atMost;
    most = std::max(most, x);
    if (valid[i] % 3 == 0 && x < least) {
      least = x;
      atLeast = i;
    }
    if (x % 2 == 0)
      if (x >= even) {
        even = x;
        atEven = i;
      }
    sum += x;
  }
  return most + 2 * least + 3 * atMost + 5 * atLeast + 7 * sum + 11 * even + 13 * atEven;
}

// From the end: counted down, the first is the last.
__spectrum int from_behind(const Array<1, int> in);
__codelet int from_behind(const Array<1, int> in) {
  int n = in.size(), most = -1, at = -1;
  for (int i = n - 1; i >= 0; --i)
    if ((in[i] & 7) > most) {
      most = in[i] & 7;
      at = i;
    }
  return at;
}

// In each row, and in each column.
__spectrum void places(const Array<2, float> in, Array<1, int> across, Array<1, int> down)
    __requires(in.size(0) == across.size() && in.size(1) == down.size());
__codelet void places(const Array<2, float> in, Array<1, int> across, Array<1, int> down) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity();
    int at = -1;
    for (size_t j = 0; j < in.size(1); ++j)
      if (in[i][j] > most) {
        most = in[i][j];
        at = j;
      }
    across[i] = at;
  }
  for (size_t j = 0; j < in.size(1); ++j) {
    short least = 3;
    int at = -1;
    for (size_t i = 0; i < in.size(0); ++i) {
      short x = (int)(in[i][j] * 8) & 3;
      if (x <= least) {
        least = x;
        at = i;
      }
    }
    down[j] = at;
  }
}

// By places alone: the first, the last, of those that are valid, and through another container.
__spectrum int by_place(const Array<1, int> z, const Array<1, int> valid) __requires(valid.size() == z.size());
__codelet int by_place(const Array<1, int> z, const Array<1, int> valid) {
  size_t least = 0;
  for (size_t i = 1; i < z.size(); ++i)
    if (z[i] < z[least]) least = i;
  int last = 0, right = 0, n = z.size();
  for (int i = n - 1; i >= 0; --i)
    if (z[last] <= z[i]) last = i;
  for (size_t i = 0; i < z.size(); ++i)
    if (valid[i] > 0 && z[i] >= z[right]) right = i;
  return static_cast<int>(least) * 7919 + last * 89 + right;
}

// Rows and columns at once, and a row's own.
__spectrum int by_places(const Array<2, short> z, Array<1, unsigned> row) __requires(row.size() == z.size(0));
__codelet int by_places(const Array<2, short> z, Array<1, unsigned> row) {
  size_t r = 0, c = 0;
  for (size_t i = 0; i < z.size(0); ++i)
    for (size_t j = 0; j < z.size(1); ++j)
      if (z[i][j] > z[r][c]) {
        r = i;
        c = j;
      }
  for (size_t i = 0; i < z.size(0); ++i) {
    unsigned best = 0;
    for (unsigned j = 0; j < z.size(1); ++j)
      if (z[i][j] < z[i][best]) best = j;
    row[i] = best;
  }
  return static_cast<int>(r * 100 + c);
}

// Elements that the loop changes, and a place that it sets elsewhere, too.
__spectrum int by_moving_places(Array<1, int> z);
__codelet int by_moving_places(Array<1, int> z) {
  size_t best = 0, other = 0;
  unsigned char narrow = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    if (z[i] < z[best]) best = i;
    z[i] += 3;
  }
  for (size_t i = 0; i < z.size(); ++i) {
    if (z[i] < z[other]) other = i;
    if (i == 17) other = 3;
  }
  for (size_t i = 0; i < z.size(); ++i)
    if (z[i] > z[narrow]) narrow = i;
  return static_cast<int>(best * 7919 + other * 89 + narrow);
}

// The last of equal ones in a plane, rows of which are divided as well.
__spectrum int last_in_plane(const Array<2, float> in);
__codelet int last_in_plane(const Array<2, float> in) {
  int most = -3, row = -1, column = -1;
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j)
      if (int x = in[i][j] * 4; x >= most) {
        most = x;
        row = i;
        column = j;
      }
  return row * 1000 + column;
}

// No place for a start; values that are equal to what would be none, and conditions of all kinds.
__spectrum int none_yet(const Array<1, int> z, const Array<1, int> done) __requires(done.size() == z.size());
__codelet int none_yet(const Array<1, int> z, const Array<1, int> done) {
  int n = z.size(), least = -1, most = -1;
  for (int i = 0; i < n; ++i)
    if (done[i] % 3 == 0 && (least < 0 || z[i] < z[least])) least = i;
  for (int i = 0; i < n; i++) {
    if (done[i] % 5 == 0) continue;
    if (most == -1 || std::abs(z[most]) <= std::abs(z[i])) most = i;
  }
  return least * 7919 + most;
}

// What is first is no number, and stays, or infinite, as all others.
__spectrum int stays(const Array<1, int> z);
__codelet int stays(const Array<1, int> z) {
  int result = 0;
  Array<1, float> value(z.size());
  for (size_t i = 0; i < z.size(); ++i) value[i] = z[i] % 4 == 0 ? std::sqrt(-1.0f) : z[i] % 4 == 1 ? INFINITY : z[i];
  for (int k = 0; k < 3; ++k) {
    int best = -1;
    for (int i = 0; i < (int)z.size(); ++i)
      if (z[i] % 3 >= k && (best < 0 || value[i] < value[best])) best = i;
    result = result * 1009 + best;
  }
  return result;
}
