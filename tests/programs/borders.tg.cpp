// Loops whose iterations do something else at their ends than in between.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// Windows around every second one, cut off at both ends; how long loops inside are is known, and not from where they count.
__spectrum void pooled(const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == (in.size(0) + 1) / 2 && out.size(1) == (in.size(1) + 1) / 2);
__codelet void pooled(const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < int(out.size(0)); ++y)
    for (int x = 0; x < int(out.size(1)); ++x) {
      float most = -1e30f;
      for (int i = 2 * y - 1; i <= 2 * y + 1; ++i)
        for (int j = 2 * x - 1; j <= 2 * x + 1; ++j)
          if (i >= 0 && i < height && j >= 0 && j < width) most = std::max(most, in[i][j]);
      out[y][x] = most;
    }
}

// The nearest one inside, counted down as well.
__spectrum void nearest(const Array<1, short> in, Array<1, short> out) __requires(in.size() == out.size());
__codelet void nearest(const Array<1, short> in, Array<1, short> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = -3; k <= 3; k += 3) sum += (k + 5) * in[std::clamp(i + k, 0, n - 1)];
    for (int k = n - i; k < n - i + 2; ++k) sum -= k * in[std::clamp(n - k, 0, n - 1)];
    out[i] = short(sum);
  }
}

// Without a sign what is below zero is a large number, and one comparison asks for both ends; a step of two.
__spectrum void padded(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet void padded(const Array<1, float> in, Array<1, float> out) {
  size_t n = in.size();
  for (size_t i = 0; i < n; ++i) {
    float sum = 0;
    for (size_t k = 0; k < 7; ++k)
      if (i + k - 3 < n) sum += float(k + 1) * in[i + k - 3];
    for (unsigned k = 0; k < 5; k += 2)
      if (2 * i + 2 - k < n) sum -= in[2 * i + 2 - k];
    out[i] = sum;
  }
}

// Of bytes, where a condition keeps lanes from loading.
__spectrum void lit(const Array<1, uint8_t> in, Array<1, uint8_t> out) __requires(in.size() == out.size());
__codelet void lit(const Array<1, uint8_t> in, Array<1, uint8_t> out) {
  int n = in.size();
  for (int i = 0; i < n; ++i) {
    int around = i > 0 ? in[i - 1] : 0;
    if (i + 1 < n) around += in[i + 1];
    out[i] = around > 255 || (around > 100 && in[i] > 200) ? 255 : in[i];
  }
}
