// Scalars that iterations overwrite, on a condition or without: what the last one of them has set is there behind the
// loop.
#include <tangram/tangram.h>

// The last place of a few, and none.
__spectrum int last_place(int wanted, const Array<1, int> in);
__codelet int last_place(int wanted, const Array<1, int> in) {
  int last = -1;
  for (size_t i = 0; i < in.size(); ++i)
    if ((in[i] & 7) == wanted) last = i;
  return last;
}

// Several in one branch, one by the other; a local one in between; steps of more than one.
__spectrum double last_values(const Array<1, int> key, const Array<1, float> x) __requires(key.size() == x.size());
__codelet double last_values(const Array<1, int> key, const Array<1, float> x) {
  int found = -3;
  float value = 0.5f, twice = 0.25f;
  for (int i = 1; i < (int)x.size(); i += 3)
    if (key[i] % 5 == 0) {
      found = i;
      float both = 2 * x[i];
      value = x[found] - 1;
      twice = both;
    }
  return found + 3.0 * value + 7.0 * twice;
}

// Each iteration sets it, and two branches of one set another; a sum beside.
__spectrum int overwritten(const Array<1, int> in);
__codelet int overwritten(const Array<1, int> in) {
  int last = 5, branch = 7, sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    int x = in[i] & 1023;
    sum += x;
    last = 3 * x;
    if (x % 3 == 0) branch = x;
    if (x % 2 == 0)
      branch = 2 * x;
    else if (x % 7 == 1)
      branch = i;
  }
  return last + 4096 * branch + sum;
}

// Counted down, the last one is the first of the container.
__spectrum int downwards(const Array<1, int> in);
__codelet int downwards(const Array<1, int> in) {
  int n = in.size(), at = n;
  for (int i = n - 1; i >= 0; --i)
    if ((in[i] & 15) < 2) at = i;
  return at;
}

// Two loops in each other; what is set in front of them is set again by none.
__spectrum int in_plane(const Array<2, float> in);
__codelet int in_plane(const Array<2, float> in) {
  int row = -1, column = -1, any = 0;
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) {
      if (in[i][j] > 0.9f) {
        row = i;
        column = j;
      }
      if (in[i][j] < -0.95f) any = 17;
    }
  return row * 1000 + column + 100 * any;
}

// Of each row one, beside what is stored; what is read where it is used is each iteration's own.
__spectrum void picked(const Array<2, float> in, const Array<1, int> label, Array<2, float> out, Array<1, float> loss)
    __requires(in.size(0) == label.size() && in.size(0) == out.size(0) && in.size(1) == out.size(1) &&
               loss.size() == label.size());
__codelet void picked(const Array<2, float> in, const Array<1, int> label, Array<2, float> out, Array<1, float> loss) {
  float half;
  for (size_t i = 0; i < in.size(0); ++i) {
    float target = -1;
    for (int c = 0; c < (int)in.size(1); ++c) {
      if (c == (label[i] & 31)) target = in[i][c];
      half = in[i][c] / 2;
      out[i][c] = half + 1;
    }
    loss[i] = target;
  }
}

// At the one place that a label says: no other iteration sets it.
__spectrum float one_of_each(const Array<2, float> in, const Array<1, int> label, Array<1, float> out)
    __requires(in.size(0) == label.size() && in.size(0) == out.size());
__codelet float one_of_each(const Array<2, float> in, const Array<1, int> label, Array<1, float> out) {
  int used = 0;
  for (size_t i = 0; i < in.size(0); ++i) {
    if (label[i] < -900) continue;
    float target = 0, sum = 0, twice = 1;
    int n = in.size(1);
    for (int c = 0; c < n; ++c) {
      if (c == label[i] + 5) target = in[i][c];
      if (c == label[i] + 9) twice += in[i][c];
      sum += in[i][c] > 0 ? 1 : 0;
    }
    out[i] = target + sum + twice;
    ++used;
  }
  return used;
}

// A value that iterations use, and that is used behind the loop.
__spectrum float used_behind(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet float used_behind(const Array<1, float> in, Array<1, float> out) {
  float x = 4;
  for (size_t i = 0; i < in.size(); ++i) {
    x = 2 * in[i] + 1;
    out[i] = x * x;
  }
  return x;
}

// No last values: what is set follows from what was.
__spectrum int followed(const Array<1, int> in);
__codelet int followed(const Array<1, int> in) {
  int last = 0, count = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] % 4 == count) {
      last = count + i;
      count = in[i] & 3;
    }
  }
  return last + count;
}
