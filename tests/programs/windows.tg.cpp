// Sums and extremes of windows of two dimensions, which can be found along one dimension after the other.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// Signed bytes as unsigned numbers, of which those below zero are the greatest.
__spectrum void wrapped(int radius, const Array<2, int8_t> in, Array<2, unsigned> out)
    __requires(radius >= 0 && out.size(0) == in.size(0) && out.size(1) == in.size(1));
__codelet void wrapped(int radius, const Array<2, int8_t> in, Array<2, unsigned> out) {
  int height = in.size(0), width = in.size(1);
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      unsigned most = 1;
      for (int y = std::max(i - radius, 0); y <= std::min(i + radius, height - 1); ++y)
        for (int x = std::max(j - radius, 0); x <= std::min(j + radius, width - 1); ++x)
          most = std::max(most, unsigned(in[y][x]));
      out[i][j] = most;
    }
}

// Sums of places beside a point, beyond the edges those of the edge; with what is no part of the window.
__spectrum void around(int radius, const Array<2, int> in, Array<2, int> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));
__codelet void around(int radius, const Array<2, int> in, Array<2, int> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 3 * in[y][x];
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
          sum += in[std::clamp(y + dy, 0, height - 1)][std::clamp(x + dx, 0, width - 1)] % 100;
      out[y][x] = sum;
    }
}

// The greatest of what overlaps, every second place; of fractions, whose sum may be in another order.
__spectrum void pooled(const Array<2, float> in, Array<2, float> most, Array<2, float> mean)
    __requires(in.size(0) == 2 * most.size(0) + 1 && in.size(1) == 2 * most.size(1) + 1)
        __requires(mean.size(0) == most.size(0) && mean.size(1) == most.size(1));
__codelet void pooled(const Array<2, float> in, Array<2, float> most, Array<2, float> mean) {
  for (size_t i = 0; i < most.size(0); ++i)
    for (size_t j = 0; j < most.size(1); ++j) {
      float greatest = -1e30f, sum = 0;
      for (size_t y = 2 * i; y < 2 * i + 3; ++y)
        for (size_t x = 2 * j; x < 2 * j + 3; ++x) greatest = std::max(greatest, in[y][x]);
      for (size_t y = 2 * i; y < 2 * i + 3; ++y)
        for (size_t x = 2 * j; x < 2 * j + 3; ++x) sum += in[y][x];
      most[i][j] = greatest;
      mean[i][j] = sum / 9;
    }
}

// Windows that follow both loops, or whose rows do: nothing is shared.
__spectrum void turned(int radius, const Array<2, int> in, Array<2, int> out)
    __requires(radius >= 0 && in.size(0) == in.size(1) && out.size(0) == in.size(0) && out.size(1) == in.size(1));
__codelet void turned(int radius, const Array<2, int> in, Array<2, int> out) {
  int n = in.size(0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int y = std::max(i - radius, 0); y <= std::min(i + radius, n - 1); ++y)
        for (int x = 0; x <= std::min(y, j); ++x) sum += in[y][x] % 50 * (i - j);
      for (int y = std::max(j - radius, 0); y <= std::min(j + radius, n - 1); ++y)
        for (int x = std::max(j - y, 0); x < std::min(j + radius, n); ++x) sum -= in[y][x] % 50;
      out[i][j] = sum;
    }
}

// As many taps in all lanes, which end in the middle of a vector.
__spectrum void filtered(const Array<1, int> in, const Array<1, int> taps, Array<1, int> out)
    __requires(taps.size() == 5 && in.size() == out.size() + 4);
__codelet void filtered(const Array<1, int> in, const Array<1, int> taps, Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    int sum = 0;
    for (size_t k = 0; k < taps.size(); ++k) sum += taps[k] % 9 * (in[i + k] % 1000);
    out[i] = sum;
  }
}
