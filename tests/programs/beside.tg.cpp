// What lanes do side by side: quotients that some share, fields of records that they fill together, sums down columns.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// Two elements of four bits a byte, with a scale for each 32.
__spectrum void unpacked(const Array<2, uint8_t> packed, const Array<2, int> scale, Array<2, int> out)
    __requires(packed.size(0) == out.size(0) && packed.size(1) == (out.size(1) + 1) / 2)
        __requires(scale.size(0) == out.size(0) && scale.size(1) == (out.size(1) + 31) / 32);
__codelet void unpacked(const Array<2, uint8_t> packed, const Array<2, int> scale, Array<2, int> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      int byte = packed[i][j / 2];
      out[i][j] = (j % 2 == 0 ? byte & 15 : byte >> 4) * scale[i][j / 32];
    }
}

// A number with a sign, and quotients by what is no power of two.
__spectrum void thirds(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void thirds(const Array<1, int> in, Array<1, int> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) out[i] = in[i / 4] + 100 * in[i / 3] - i % 8 + i % 5;
}

// Colours of pixels, that are stored together, and in an order of their own; one is of the pixel before.
__spectrum void colours(const Array<1, uint8_t> grey, Array<2, uint8_t> pixel)
    __requires(pixel.size(0) == grey.size() && pixel.size(1) == 3);
__codelet void colours(const Array<1, uint8_t> grey, Array<2, uint8_t> pixel) {
  for (size_t i = 0; i < grey.size(); ++i) {
    pixel[i][2] = std::min(grey[i] + 1, 255);
    pixel[i][0] = grey[i];
    pixel[i][1] = grey[i] / 2 + pixel[i][0] % 2;
  }
}

// All four of them by a loop.
__spectrum void dimmed(const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == 4 && out.size(1) == 4);
__codelet void dimmed(const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  for (size_t i = 0; i < out.size(0); ++i) {
    int strength = 255 - in[i][3];
    for (int c = 0; c < 4; ++c) out[i][c] = in[i][c] * strength >> 8;
  }
}

// Sums down columns, of more columns than a vector has lanes; where each is greatest.
__spectrum void columns(const Array<2, int> in, Array<1, int> sum, Array<1, unsigned> greatest)
    __requires(sum.size() == in.size(1) && greatest.size() == in.size(1));
__codelet void columns(const Array<2, int> in, Array<1, int> sum, Array<1, unsigned> greatest) {
  for (size_t j = 0; j < in.size(1); ++j) {
    int all = 0, most = -1;
    unsigned where = 0;
    for (size_t i = 0; i < in.size(0); ++i) {
      all += in[i][j];
      if (in[i][j] > most) {
        most = in[i][j];
        where = i;
      }
    }
    sum[j] = all;
    greatest[j] = where;
  }
}

// A sum over loops that stand in each other, from numbers of both signs on.
__spectrum void planes(int begin, const Array<4, int> in, Array<1, int> sum) __requires(sum.size() == in.size(0));
__codelet void planes(int begin, const Array<4, int> in, Array<1, int> sum) {
  int rows = in.size(2), columns = in.size(3);
  for (size_t n = 0; n < in.size(0); ++n) {
    int all = 0;
    for (size_t c = 0; c < in.size(1); ++c) {
      int weight = c + 1;
      for (int y = 0; y < rows; ++y)
        for (int x = begin; x < columns; ++x) all += weight * in[n][c][y][std::max(x, 0)];
    }
    sum[n] = all;
  }
}

// Steps that end when nothing changes any more, and halves of what is left: loops in a loop that data ends.
__spectrum void settled(const Array<1, int> in, Array<1, int> out, Array<1, unsigned> steps)
    __requires(in.size() == out.size() && steps.size() == 1);
__codelet void settled(const Array<1, int> in, Array<1, int> out, Array<1, unsigned> steps) {
  size_t n = in.size();
  Array<1, int> next(n);
  for (size_t i = 0; i < n; ++i) out[i] = in[i];
  unsigned step = 0;
  for (; step < 50; ++step) {
    int changes = 0;
    for (size_t i = 0; i < n; ++i) {
      next[i] = i > 0 && out[i - 1] > out[i] ? out[i - 1] : out[i];
      changes += next[i] != out[i] ? 1 : 0;
    }
    if (changes == 0) break;
    for (size_t i = 0; i < n; ++i) out[i] = next[i];
  }
  steps[0] = step;
}

__spectrum void pyramid(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void pyramid(const Array<1, int> in, Array<1, int> out) {
  size_t n = in.size(), length = n;
  Array<1, int> mean(n);
  for (size_t j = 0; j < n; ++j) mean[j] = in[j];
  while (length > 1 && length % 2 == 0) {
    length /= 2;
    for (size_t j = 0; j < length; ++j) {
      int a = mean[2 * j], b = mean[2 * j + 1];
      mean[j] = a + b;
      out[length + j] = a - b;
    }
  }
  for (size_t j = 0; j < length; ++j) out[j] = mean[j];
}

// Left in the middle of a step of time, of which the rest is not done.
__spectrum void until(int limit, Array<1, int> a, Array<1, int> b) __requires(a.size() == b.size());
__codelet void until(int limit, Array<1, int> a, Array<1, int> b) {
  for (int t = 0; t < 20; ++t) {
    int sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] += t;
      sum += a[i];
    }
    if (sum > limit) {
      if (a.size() > 0) a[0] = -t;
      break;
    }
    for (size_t i = 0; i < b.size(); ++i) b[i] += a[i];
  }
}
