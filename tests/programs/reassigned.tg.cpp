// Scalars that the block which declares them changes: clamps in steps, quotients in place, sums that are scaled behind
// their loop, variables that a loop changes later.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void clamped(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void clamped(const Array<2, int> in, Array<2, int> out) {
  int h = in.size(0), w = in.size(1);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int sum = 0;
      for (int j = -1; j <= 1; ++j)
        for (int i = -2; i <= 2; ++i) {
          int yy = y + j, xx = x;
          xx += i;
          if (yy < 0) yy = 0;
          if (yy >= h) yy = h - 1;
          if (xx < 0) xx = -xx;
          if (xx >= w) {
            xx = w - 1;
          }
          if (xx >= w || xx < 0) continue;
          sum += in[yy][xx];
        }
      out[y][x] = sum;
    }
}

// By extremes, of places that are declared: rows may be summed once for all windows, of none where there are no rows.
__spectrum void blurred(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void blurred(const Array<2, int> in, Array<2, int> out) {
  int h = in.size(0), w = in.size(1);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int sum = 0;
      for (int j = -2; j <= 2; ++j)
        for (int i = -1; i <= 1; ++i) {
          int row = std::min(std::max(y + j, 0), h - 1), column = std::max(x + i, 0);
          column = std::min(column, w - 1);
          sum += in[row][column];
        }
      out[y][x] = sum;
    }
}

// What is divided by, and loaded from, only under a condition.
__spectrum void guarded(int by, const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet void guarded(int by, const Array<1, int> in, Array<1, int> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int place = 3 * i, value = -1;
    if (by != 0) place = place / by;
    if (place >= 0 && place < n) value = in[place];
    place %= 7;
    unsigned char few = 250;
    few += place;
    value = value * 2 + few;
    out[i] = value;
  }
}

__spectrum void scaled(const Array<2, float> in, Array<1, float> out) __requires(in.size(0) == out.size());

__codelet void scaled(const Array<2, float> in, Array<1, float> out) {
  for (size_t r = 0; r < in.size(0); ++r) {
    float scale = 0.5f;
    scale *= 2;
    float sum = 1;
    sum = sum - scale;
    for (size_t i = 0; i < in.size(1); ++i) {
      float x = in[r][i];
      x *= x;
      sum += x;
    }
    sum = std::sqrt(sum);
    if (sum > 2) sum = 2 + sum / 2;
    sum += scale;
    out[r] = sum;
  }
}
