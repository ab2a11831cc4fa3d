// Running values that begin anew where data says so, keep what was set last, or are linear functions of what they were:
// segmented sums, run numbers, exponential averages, polynomials; with and without a use of what each iteration has.
#include <tangram/tangram.h>

// ---- segments that flags begin -----------------------------------------------------------------------------------

__spectrum unsigned segments(const Array<1, float> x, const Array<1, unsigned char> flag, Array<1, float> y)
    __requires(flag.size() == x.size() && y.size() == x.size());

__codelet unsigned segments(const Array<1, float> x, const Array<1, unsigned char> flag, Array<1, float> y) {
  float sum = 0;
  unsigned number = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (flag[i] % 5 == 0) {
      sum = 0;
      ++number;
    }
    sum += x[i];
    y[i] = sum;
  }
  return number;
}

// The greatest of each run of equal keys up to here, by a choice.
__spectrum void greatest(const Array<1, int> key, const Array<1, int> x, Array<1, int> y)
    __requires(key.size() == x.size() && y.size() == x.size());

__codelet void greatest(const Array<1, int> key, const Array<1, int> x, Array<1, int> y) {
  int most = -1;
  for (int i = 0; i < int(x.size()); ++i) {
    if (i == 0 || key[i] / 32 != key[i - 1] / 32)
      most = x[i];
    else if (x[i] > most)
      most = x[i];
    y[i] = most;
  }
}

__spectrum void lengths(const Array<1, int> in, Array<1, int> length) __requires(in.size() == length.size());

__codelet void lengths(const Array<1, int> in, Array<1, int> length) {
  int run = 0;
  for (int i = 0; i < int(in.size()); ++i) {
    run = in[i] % 3 == 0 ? 0 : run + 1;
    length[i] = run;
  }
}

// ---- what was last -------------------------------------------------------------------------------------------------

__spectrum int distances(const Array<1, int> in, Array<1, int> distance, Array<1, double> value)
    __requires(in.size() == distance.size() && in.size() == value.size());

__codelet int distances(const Array<1, int> in, Array<1, int> distance, Array<1, double> value) {
  int last = -1;
  double held = 0.5;
  for (int i = 0; i < int(in.size()); ++i) {
    if (in[i] % 7 == 0) {
      last = i;
      held = 1.0 / (in[i] + 1000);
    }
    distance[i] = i - last;
    value[i] = held;
  }
  return last;
}

// ---- linear functions ----------------------------------------------------------------------------------------------

__spectrum float averages(float alpha, const Array<1, float> x, Array<1, float> y) __requires(x.size() == y.size());

__codelet float averages(float alpha, const Array<1, float> x, Array<1, float> y) {
  float mean = 0.25f;
  for (size_t i = 0; i < x.size(); ++i) {
    mean += 0.5f * (x[i] - mean);
    y[i] = alpha * mean;
  }
  return mean;
}

// By factors from data, of a wider type.
__spectrum void decays(const Array<1, float> rate, const Array<1, float> x, Array<1, float> y)
    __requires(x.size() == y.size() && x.size() == rate.size());

__codelet void decays(const Array<1, float> rate, const Array<1, float> x, Array<1, float> y) {
  float state = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    state = 0.75 / (1.0 + rate[i] * rate[i]) * state + 0.5 * x[i];
    y[i] = state;
  }
}

// Rows of them: a step of a filter, and its way back.
__spectrum void filters(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void filters(const Array<2, float> in, Array<2, float> out) {
  for (size_t r = 0; r < in.size(0); ++r) {
    float forward = 0, backward = 0;
    for (size_t i = 0; i < in.size(1); ++i) {
      forward = 0.25f * in[r][i] + 0.75f * forward;
      out[r][i] = forward;
    }
    for (size_t i = in.size(1); i-- > 0;) {
      backward = 0.25f * in[r][i] + 0.75f * backward;
      out[r][i] += backward;
    }
  }
}

// The same in a container.
__spectrum void in_place(Array<1, float> x);

__codelet void in_place(Array<1, float> x) {
  for (size_t i = 1; i < x.size(); ++i) x[i] += 0.5f * x[i - 1];
}

// A hash, and a polynomial: nothing but what it comes to in the end.
__spectrum unsigned hashed(const Array<1, unsigned char> text);

__codelet unsigned hashed(const Array<1, unsigned char> text) {
  unsigned hash = 5381;
  for (size_t i = 0; i < text.size(); ++i) hash = hash * 33 + text[i];
  return hash;
}

__spectrum double polynomial(const Array<1, double> c);

__codelet double polynomial(const Array<1, double> c) {
  double value = 0;
  for (size_t i = 0; i < c.size(); ++i) value = value * 0.875 + c[i];
  return value;
}

// ---- what follows from another running value -----------------------------------------------------------------------

__spectrum unsigned fields(const Array<1, unsigned char> text, Array<1, unsigned> start)
    __requires(start.size() == text.size());

__codelet unsigned fields(const Array<1, unsigned char> text, Array<1, unsigned> start) {
  bool quoted = false;
  unsigned count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i] % 8;
    if (c == 5)
      quoted = !quoted;
    else if (!quoted && (c == 2 || c == 3)) {
      start[count] = i + 1;
      ++count;
    }
  }
  return count;
}

// A sum of sums, which begins with each segment, and what was last when that was large.
__spectrum void staged(const Array<1, int> in, Array<1, unsigned> out, Array<1, int> place)
    __requires(in.size() == out.size() && in.size() == place.size());

__codelet void staged(const Array<1, int> in, Array<1, unsigned> out, Array<1, int> place) {
  unsigned sum = 3, sums = 1;
  int last = -1;
  for (int i = 0; i < int(in.size()); ++i) {
    unsigned next = in[i];
    if (next % 11 == 0) sum = 0;
    sum += next;
    sums = sums * 5 + sum;
    if (sums % 4 == 1) last = i;
    out[i] = sums;
    place[i] = last - int(sum % 2);
  }
}

// ---- counts in conditions, and masks that constants give -----------------------------------------------------------

__spectrum void codes(const Array<2, unsigned char> read, Array<1, unsigned> count) __requires(count.size() > 0);

__codelet void codes(const Array<2, unsigned char> read, Array<1, unsigned> count) {
  const int length = 20;
  const unsigned long long mask = (1ull << 2 * length) - 1;
  for (size_t r = 0; r < read.size(0); ++r) {
    unsigned long long code = 0;
    int have = 0, skipped = 7;
    for (size_t i = 0; i < read.size(1); ++i) {
      unsigned b = read[r][i] % 5;
      if (b > 3) {
        have = 0;
        continue;
      }
      code = (code << 2 | b) & mask;
      if (++have >= 3 && b != 2) count[code % count.size()] += 1;
      if (skipped-- > 3) count[0] += 2;
    }
  }
}

// A sum of two in a branch, with what that declares.
__spectrum float branches(const Array<1, float> x, Array<1, float> y) __requires(x.size() == y.size());

__codelet float branches(const Array<1, float> x, Array<1, float> y) {
  float sum = 0, more = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = sum;
    if (x[i] < 0.25f) continue;
    float square = x[i] * x[i];
    if (square > 0.75f) continue;
    float half = square / 2;
    sum = sum + square + half;
    more = more + square - x[i];
    y[i] += sum;
  }
  return sum + more;
}
