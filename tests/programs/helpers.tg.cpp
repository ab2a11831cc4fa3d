// Plain functions that are given containers, rows of these and arrays: samplers, searches, sums of rows, small sorts;
// under conditions, in conditions of loops, by members of structs, and by lanes.
#include <tangram/tangram.h>

// ---- what a picture has around its border -------------------------------------------------------------------------

struct Border {
  int value;
  int at(const Array<2, int> &in, int y, int x) const {
    bool inside = y >= 0 && x >= 0 && y < int(in.size(0)) && x < int(in.size(1));
    return inside ? in[y][x] : value;
  }
};
inline int pixel(const Array<2, int> in, int y, int x) {
  return y >= 0 && x >= 0 && y < int(in.size(0)) && x < int(in.size(1)) ? in[y][x] : 0;
}

__spectrum void edges(Border border, const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void edges(Border border, const Array<2, int> in, Array<2, int> out) {
  for (int y = 0; y < int(out.size(0)); ++y)
    for (int x = 0; x < int(out.size(1)); ++x)
      out[y][x] = 4 * in[y][x] - pixel(in, y - 1, x) - (y % 3 == 1 ? pixel(in, y + 1, x) : 7) -
                  border.at(in, y, x - 1) - border.at(in, pixel(in, y, x) % 5, x + 1);
}

// ---- searches and sums of rows -----------------------------------------------------------------------------------

template <class T> size_t first_not_below(const Array<1, T> &sorted, T value) {
  size_t begin = 0, end = sorted.size();
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (sorted[middle] < value)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}
inline long dot(const Array<1, int> row, const Array<1, int> x) {
  long sum = 0;
  for (size_t i = 0; i < row.size(); ++i) sum += long(row[i]) * x[i];
  return sum;
}
inline bool has(const Array<1, int> row, int value) {
  for (size_t i = 0; i < row.size(); ++i)
    if (row[i] == value) return true;
  return false;
}
inline void put(Array<1, long> out, size_t i, long value) { out[i] = value; }

__spectrum void searched(const Array<2, int> m, const Array<1, int> x, Array<1, long> out)
    __requires(m.size(0) == out.size() && m.size(1) == x.size());

__codelet void searched(const Array<2, int> m, const Array<1, int> x, Array<1, long> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    long found = 0;
    int next = 0;
    while (next < 8 && !has(m[i], next)) ++next;
    if (x.size() > 2 && has(m[i], x[1])) found = 1000;
    put(out, i, dot(m[i], x) + found + next + long(first_not_below(x, int(i))));
  }
}

// ---- arrays ------------------------------------------------------------------------------------------------------

inline void order(int v[], int a, int b) {
  if (v[b] < v[a]) {
    int t = v[a];
    v[a] = v[b];
    v[b] = t;
  }
}
inline void sort3(int v[3]) {
  order(v, 0, 1);
  order(v, 1, 2);
  order(v, 0, 1);
}
inline int median(int a, int b, int c) { // takes no container itself
  int v[3] = {a, b, c};
  sort3(v);
  return v[1];
}
inline void widen(const int (&v)[3], int &low, int &high) {
  if (v[0] < low) low = v[0];
  if (v[2] > high) high = v[2];
}

__spectrum int medians(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet int medians(const Array<1, int> in, Array<1, int> out) {
  int low = 0, high = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    int v[3] = {i > 0 ? in[i - 1] : 0, in[i], i + 1 < in.size() ? in[i + 1] : 0};
    out[i] = median(v[0], v[1], v[2]);
    sort3(v);
    widen(v, low, high);
  }
  return high - low;
}

// ---- several references, also to one element ----------------------------------------------------------------------

inline void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
  a += b;
  d = (d ^ a) << 16 | (d ^ a) >> 16;
  c += d;
  b = (b ^ c) << 12 | (b ^ c) >> 20;
}

__spectrum void mixed(const Array<1, unsigned> in, Array<1, unsigned> out) __requires(in.size() == out.size());

__codelet void mixed(const Array<1, unsigned> in, Array<1, unsigned> out) {
  for (size_t k = 0; k < in.size(); ++k) {
    unsigned x[16];
    for (unsigned i = 0; i < 16; ++i) x[i] = in[k] + i * i;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) quarter(x[i], x[4 + i], x[8 + i], x[12 + i]);
      for (int i = 0; i < 4; ++i) quarter(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
    }
    quarter(x[in[k] % 16], x[3], x[in[k] % 4], x[7]);
    out[k] = x[0] + x[3] + x[7] + x[12];
  }
}

// ---- by lanes ----------------------------------------------------------------------------------------------------

inline int clamped(const Array<1, int> &in, long i) {
  if (in.size() == 0) return 0;
  if (i < 0) return in[0];
  return in[size_t(i) < in.size() ? size_t(i) : in.size() - 1];
}

__spectrum void smoothed(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial) void smoothed(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = clamped(in, long(i) - 1) + 2 * clamped(in, long(i)) + clamped(in, long(i) + 1);
}

__codelet __coop __tag(lanes) void smoothed(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = coopIdx(); i < in.size(); i += coopDim())
    if (i % 2 == 0)
      out[i] = clamped(in, long(i) - 1) + 2 * clamped(in, long(i)) + clamped(in, long(i) + 1);
    else
      out[i] = clamped(in, long(i) - 1) + 2 * in[i] + clamped(in, long(i) + 1);
}
