// Loops whose neighbouring iterations access elements side by side: at places that are multiples of vectors, and not.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void converted(const Array<1, uint8_t> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet void converted(const Array<1, uint8_t> in, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] * 0.5f + 1;
}

// What is written begins at the second element.
__spectrum void shifted(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void shifted(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 1; i + 1 < in.size(); ++i) out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
}

__spectrum void clamped(const Array<1, uint8_t> in, Array<1, int16_t> out) __requires(in.size() == out.size());
__codelet void clamped(const Array<1, uint8_t> in, Array<1, int16_t> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i)
    out[i] = int16_t(in[std::max(i - 2, 0)] + 3 * in[i] - in[std::clamp(i + 1, 0, n - 1)]);
}

__spectrum void wrapped(const Array<1, double> in, Array<1, double> out) __requires(in.size() == out.size());
__codelet void wrapped(const Array<1, double> in, Array<1, double> out) {
  size_t n = in.size();
  for (size_t i = 0; i < n; ++i) out[i] = in[(i + n - 1) % n] + 2 * in[(i + 1) % n];
}

// Another statement at both ends, and one element written twice.
__spectrum void bordered(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet void bordered(const Array<1, float> in, Array<1, float> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    if (i >= 2 && i + 2 < n)
      out[i] = in[i - 2] + in[i + 2];
    else if (i == n - 1)
      out[i] = 7;
  }
}

// A bound that only a condition keeps from a division by zero.
__spectrum void bounded(int pieces, const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void bounded(int pieces, const Array<1, int> in, Array<1, int> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) out[i] = pieces > 0 && i < n / pieces ? in[i] : -1;
}

// In place, and what was stored is loaded again.
__spectrum void updated(float factor, const Array<1, float> in, Array<1, float> mean, Array<1, float> out)
    __requires(in.size() == out.size() && mean.size() == out.size());
__codelet void updated(float factor, const Array<1, float> in, Array<1, float> mean, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    mean[i] = factor * mean[i] + (1 - factor) * in[i];
    out[i] -= mean[i] * mean[i];
  }
}

// Rows, with a function and a small array.
float middle(float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
__spectrum void rows(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void rows(const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float v[3];
      for (int k = 0; k < 3; ++k) v[k] = in[y][std::clamp(x + k - 1, 0, width - 1)];
      out[y][x] = middle(v[0], v[1], v[2]) + (y > 0 ? in[y - 1][x] : 0);
    }
}

// What is counted was written by the same iteration.
__spectrum void counted(const Array<2, uint8_t> in, Array<2, uint8_t> out, Array<1, int> bins)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && bins.size() == 256);
__codelet void counted(const Array<2, uint8_t> in, Array<2, uint8_t> out, Array<1, int> bins) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) {
      out[i][j] = uint8_t(in[i][j] / 2 + 3);
      bins[out[i][j]] += 1;
    }
}
