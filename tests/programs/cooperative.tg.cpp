// Cooperative functions: what several codelets would else have twice.
#include <tangram/tangram.h>
#include <limits>
#include <cmath>

struct Sum { template <class T> static T of(T a, T b) { return a + b; } };

// The sum of all lanes' values.
template <class T> __coop T sum_of_lanes(T value) {
  __shared T t[coopDim()];
  unsigned id = coopIdx();
  t[id] = value;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) t[id] += t[id + s];
  return t[0];
}

// A tree in an array of the caller's.
__coop void tree(int t[], unsigned n) {
  for (unsigned s = n / 2; s > 0; s /= 2)
    if (coopIdx() < s) t[coopIdx()] += t[coopIdx() + s];
}
// Elements from coopIdx() by coopDim().
__coop int own_sum(const Array<1, int> in) {
  if (in.size() == 0) return 0;
  int sum = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) sum += in[i];
  return sum;
}
__coop int all_sum(const Array<1, int> in) {
  int mine = own_sum(in);
  return sum_of_lanes(mine);
}

__spectrum int summed(const Array<1, int> in);
__codelet __tag(serial) int summed(const Array<1, int> in) {
  int sum = 0;
  for (size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}
__codelet __coop __tag(lanes) int summed(const Array<1, int> in) { return all_sum(in); }
__codelet __coop __tag(tree) int summed(const Array<1, int> in) {
  __shared int t[coopDim()];
  t[coopIdx()] = own_sum(in);
  tree(t, coopDim());
  return t[0];
}
__codelet __tag(tiled) int summed(const Array<1, int> in) {
  __tunable unsigned p;
  size_t n = in.size(), tile = (n + p - 1) / p;
  return summed(map(summed, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n))));
}

// Lanes call spectrums: one that lanes compute together or each for itself, and one that writes.
__spectrum int clear(Array<1, int> out);
__codelet __tag(serial) int clear(Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = 7;
  return (int)out.size();
}
__codelet __coop __tag(lanes) int clear(Array<1, int> out) {
  for (size_t i = coopIdx(); i < out.size(); i += coopDim()) out[i] = 7;
  return (int)out.size();
}
__spectrum void shares(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet __tag(serial) void shares(const Array<1, int> in, Array<1, int> out) {
  int all = summed(in), n = clear(out);
  for (size_t i = 0; i < in.size(); ++i) out[i] += 2 * in[i] - all + n;
}
__codelet __coop __tag(lanes) void shares(const Array<1, int> in, Array<1, int> out) {
  int all = summed(in), n = clear(out);
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) out[i] += 2 * in[i] - all + n;
}
__spectrum void row_shares(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void row_shares(const Array<2, int> in, Array<2, int> out) { map(shares, in, out); }

// Mean and variance of rows: two sums of one codelet; rounds until they agree.
__spectrum void moments(const Array<1, int> in, Array<1, int> out) __requires(out.size() == 2);
__codelet __tag(serial) void moments(const Array<1, int> in, Array<1, int> out) {
  int sum = 0, squares = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  out[0] = sum;
  out[1] = squares;
}
__coop void add(int &to, int value) { to += value; }
__codelet __coop __tag(lanes) void moments(const Array<1, int> in, Array<1, int> out) {
  int sum = 0, squares = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  add(sum, 1);
  sum = sum_of_lanes(sum) - (int)coopDim();
  int both = sum_of_lanes(squares);
  unsigned rounds = 0;
  while (sum_of_lanes(rounds) < 2 * coopDim()) ++rounds;
  if (coopIdx() == 0) {
    out[0] = sum + (int)rounds - 2;
    out[1] = both;
  }
}
__spectrum void all_moments(const Array<2, int> in, Array<2, int> out) __requires(in.size(0) == out.size(0) && out.size(1) == 2);
__codelet void all_moments(const Array<2, int> in, Array<2, int> out) { map(moments, in, out); }

// How long a shared array is, by another name.
__spectrum int by_lanes(const Array<1, int> in);
__codelet __tag(serial) int by_lanes(const Array<1, int> in) {
  int s = 0;
  for (size_t i = 0; i < in.size(); ++i) s += in[i] & 255;
  return s;
}
__codelet __coop __tag(lanes) int by_lanes(const Array<1, int> in) {
  unsigned lanes = coopDim(), lane = coopIdx();
  __shared int t[lanes];
  int s = 0;
  for (size_t i = lane; i < in.size(); i += lanes) s += in[i] & 255;
  t[lane] = s;
  for (unsigned d = 1; d < lanes; d *= 2)
    if (lane >= d) t[lane] += t[lane - d];
  return t[lanes - 1];
}
