// Programs that compute on indices: maps over ranges, which have no storage.
#include <tangram/tangram.h>

// One call an index.
__spectrum void put(size_t i, Array<1, int> out);
__codelet void put(size_t i, Array<1, int> out) { out[i] = (int)(3 * i + 1); }
__spectrum void numbered(Array<1, int> out);
__codelet __tag(serial) void numbered(Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = (int)(3 * i + 1);
}
__codelet __tag(each) void numbered(Array<1, int> out) { map(put, range(out.size()), out); }

// A stencil: parts of the rows, which are divided further, and lanes that go along rows.
__spectrum void smooth_row(size_t i, const Array<2, float> in, Array<2, float> out);
__codelet __tag(serial) void smooth_row(size_t i, const Array<2, float> in, Array<2, float> out) {
  for (size_t j = 0; j < in.size(1); ++j) {
    float sum = in[i][j];
    if (i > 0) sum += in[i - 1][j];
    if (i + 1 < in.size(0)) sum += in[i + 1][j];
    out[i][j] = sum / 3;
  }
}
__codelet __coop __tag(lanes) void smooth_row(size_t i, const Array<2, float> in, Array<2, float> out) {
  for (size_t j = coopIdx(); j < in.size(1); j += coopDim()) {
    float sum = in[i][j];
    if (i > 0) sum += in[i - 1][j];
    if (i + 1 < in.size(0)) sum += in[i + 1][j];
    out[i][j] = sum / 3;
  }
}
__spectrum void smooth_rows(const Array<1, size_t> rows, const Array<2, float> in, Array<2, float> out);
__codelet __tag(serial) void smooth_rows(const Array<1, size_t> rows, const Array<2, float> in, Array<2, float> out) {
  for (size_t r = 0; r < rows.size(); ++r) smooth_row(rows[r], in, out);
}
__codelet __tag(each) void smooth_rows(const Array<1, size_t> rows, const Array<2, float> in, Array<2, float> out) {
  map(smooth_row, rows, in, out);
}
__spectrum void smooth(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet __tag(serial) void smooth(const Array<2, float> in, Array<2, float> out) {
  smooth_rows(range(in.size(0)), in, out);
}
__codelet __tag(tiled) void smooth(const Array<2, float> in, Array<2, float> out) {
  __tunable unsigned p;
  size_t n = in.size(0), tile = (n + p - 1) / p;
  map(smooth_rows, partition(range(n), p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)), in, out);
}
__codelet __tag(strided) void smooth(const Array<2, float> in, Array<2, float> out) {
  __tunable unsigned p;
  size_t n = in.size(0);
  map(smooth_rows, partition(range(n), p, sequence(0, 1, p), sequence(p), sequence(n)), in, out);
}

// How many steps it takes a point of a line to leave the circle: ints, from below zero; results go where maps put them.
__spectrum int steps(int at, int most);
__codelet int steps(int at, int most) {
  float c = 0.01f * (float)at, x = 0;
  int n = 0;
  for (; n < most && x * x < 4; ++n) x = x * x + c;
  return n;
}
__spectrum void escape(Array<1, int> out);
__codelet __tag(serial) void escape(Array<1, int> out) {
  int n = (int)out.size(), first = -n / 2;
  for (int i = 0; i < n; ++i) out[i] = steps(first + i, 50);
}
__codelet __tag(each) void escape(Array<1, int> out) {
  int n = (int)out.size(), first = -n / 2;
  out = map(steps, range<int>(first, first + n), 50);
}

// A reduction over numbers that are nowhere: of each part, of parts of a part, by lanes.
__spectrum unsigned squares(const Array<1, unsigned> numbers, unsigned by);
__codelet __tag(serial) unsigned squares(const Array<1, unsigned> numbers, unsigned by) {
  unsigned sum = 0;
  for (size_t i = 0; i < numbers.size(); ++i) sum += numbers[i] * numbers[i] * by;
  return sum;
}
__codelet __coop __tag(lanes) unsigned squares(const Array<1, unsigned> numbers, unsigned by) {
  __shared unsigned t[coopDim()];
  unsigned sum = 0, id = coopIdx();
  for (size_t i = id; i < numbers.size(); i += coopDim()) sum += numbers[i] * numbers[i] * by;
  t[id] = sum;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) t[id] += t[id + s];
  return t[0];
}
__codelet __tag(tiled) unsigned squares(const Array<1, unsigned> numbers, unsigned by) {
  __tunable unsigned p;
  size_t n = numbers.size(), tile = (n + p - 1) / p;
  auto parts = map(squares, partition(numbers, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)), by);
  unsigned sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) sum += parts[i];
  return sum;
}
__codelet __tag(strided) unsigned squares(const Array<1, unsigned> numbers, unsigned by) {
  __tunable unsigned p;
  size_t n = numbers.size();
  auto parts = map(squares, partition(numbers, p, sequence(0, 1, p), sequence(p), sequence(n)), by);
  unsigned sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) sum += parts[i];
  return sum;
}
// Every third number from 5.
__spectrum unsigned third_squares(const Array<1, int> like);
__codelet unsigned third_squares(const Array<1, int> like) {
  return squares(range<unsigned>(5, (unsigned)like.size(), 3), 2);
}

// Forces of all bodies on each: all are read by all.
__spectrum float force(size_t i, const Array<1, float> at);
__codelet __tag(serial) float force(size_t i, const Array<1, float> at) {
  float sum = 0;
  for (size_t j = 0; j < at.size(); ++j) {
    float d = at[j] - at[i];
    sum += d / (d * d + 0.5f);
  }
  return sum;
}
__spectrum void forces(const Array<1, float> at, Array<1, float> out) __requires(at.size() == out.size());
__codelet void forces(const Array<1, float> at, Array<1, float> out) { out = map(force, range(at.size()), at); }

// Parts of a range whose bounds are read.
__spectrum unsigned between(const Array<1, unsigned> bounds, size_t n);
__codelet unsigned between(const Array<1, unsigned> bounds, size_t n) {
  size_t parts = bounds.size() > 0 ? bounds.size() - 1 : 0;
  auto sums = map(squares, partition(range<unsigned>(n), parts, sequence(bounds, 0, 1, parts), sequence(1),
                                     sequence(bounds, 1, 1, parts + 1)), 1u);
  unsigned sum = 0;
  for (size_t i = 0; i < sums.size(); ++i) sum = 31 * sum + sums[i];
  return sum;
}
