// What lanes of vectors do with elements that do not lie side by side, and with functions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tangram/tangram.h>

// Colours of pixels: three bytes apart.
__spectrum void gray(const Array<3, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == 3);
__codelet void gray(const Array<3, uint8_t> in, Array<2, uint8_t> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j)
      out[i][j] = (77 * in[i][j][0] + 150 * in[i][j][1] + 29 * in[i][j][2]) / 256;
}

// A picture's histogram: either loop may be the lanes'.
__spectrum void levels(const Array<2, uint8_t> in, Array<1, int> bins) __requires(bins.size() == 256);
__codelet void levels(const Array<2, uint8_t> in, Array<1, int> bins) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) bins[in[i][j]] += 1;
}

// Backwards, and by a step that only the run shows.
__spectrum void turned(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void turned(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[in.size() - 1 - i];
}
__spectrum void column(int at, const Array<2, short> in, Array<1, short> out)
    __requires(in.size(0) == out.size() && in.size(1) > 0 && at == 0);
__codelet void column(int at, const Array<2, short> in, Array<1, short> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = in[i][at];
}

// What all turns of a loop read, of rows and of a plain array.
__spectrum void closest(const Array<2, float> points, const Array<1, float> centers, Array<1, int> out)
    __requires(points.size(0) == out.size() && points.size(1) == 3 && centers.size() % 3 == 0);
__codelet void closest(const Array<2, float> points, const Array<1, float> centers, Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float least = 1e30f;
    int at = -1;
    for (size_t c = 0; c < centers.size() / 3; ++c) {
      float distance = 0;
      for (int d = 0; d < 3; ++d) {
        float difference = points[i][d] - centers[3 * c + d];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        at = c;
      }
    }
    out[i] = at;
  }
}

// Functions with returns in the middle, loops, parameters that they change, and other functions.
int steps(int n) {
  int count = 0;
  while (n > 1) {
    if (count == 40) return -1;
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++count;
  }
  return count;
}
int bounded(int n, int most) {
  if (n < 0) return 0;
  if (n > most) return most;
  return n;
}
int both(int n) { return steps(bounded(n, 100)) + bounded(steps(n / 2 + 1), 9); }
__spectrum void walks(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void walks(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    int value = in[i] % 1000;
    out[i] = value > 3 && steps(value) > 5 ? both(value) : bounded(value, 2);
  }
}
float shaped(float x, float &rest) {
  rest = x - std::floor(x);
  return std::sqrt(std::fabs(x)) * rest;
}
__spectrum void shapes(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet void shapes(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    float rest = 0;
    float value = shaped(in[i], rest);
    out[i] = value + rest;
  }
}

// An index of which a conversion cuts off what is above 32 bits.
__spectrum void cut(long far, const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == out.size() && far == 4294967296);
__codelet void cut(long far, const Array<1, int> in, Array<1, int> out) {
  for (long i = 0; i < long(in.size()); ++i) out[i] = in[int(i + far)];
}

// Arrays of a lane's own, elements of which some lanes exchange; indices that bounds clamp.
__spectrum void middle(const Array<1, uint8_t> in, Array<1, uint8_t> out) __requires(in.size() == out.size());
__codelet void middle(const Array<1, uint8_t> in, Array<1, uint8_t> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    uint8_t v[5];
    for (int k = 0; k < 5; ++k) v[k] = in[std::clamp(i + k - 2, 0, n - 1)];
    for (int a = 0; a < 3; ++a)
      for (int b = a + 1; b < 5; ++b)
        if (v[b] < v[a]) std::swap(v[a], v[b]);
    out[i] = v[2];
  }
}

// Indices that come round at the end, also more than once.
__spectrum void around(const Array<1, short> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void around(const Array<1, short> in, Array<1, int> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int d = -2; d <= 2; ++d) sum += in[(i + d + 2 * n) % n] * (d + 3);
    out[i] = sum;
  }
}
