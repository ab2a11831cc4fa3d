// Loops whose conditions look ahead: over windows that have to find room.
#include <tangram/tangram.h>

__spectrum unsigned matches(const Array<1, int> text, const Array<1, int> pattern)
    __requires(text.size() >= pattern.size());
__codelet unsigned matches(const Array<1, int> text, const Array<1, int> pattern) {
  unsigned count = 0;
  for (size_t i = 0; i + pattern.size() <= text.size(); ++i) {
    bool same = true;
    for (size_t j = 0; j < pattern.size(); ++j)
      if (text[i + j] % 2 != pattern[j] % 2) {
        same = false;
        break;
      }
    if (same) ++count;
  }
  return count;
}

// Where there is no window, and where the sum wraps around, nothing is done.
__spectrum void averages(const Array<1, int> in, size_t w, Array<1, int> out) __requires(in.size() == out.size());
__codelet void averages(const Array<1, int> in, size_t w, Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = 0;
  for (size_t i = 0; i + w - 1 < in.size(); ++i) {
    int sum = 0;
    for (size_t j = 0; j < w; ++j) sum += in[i + j];
    out[i] = sum;
  }
}

__spectrum int spread(const Array<1, int> in, int w);
__codelet int spread(const Array<1, int> in, int w) {
  int n = in.size(), sum = 0;
  for (int i = 0; i + w < n; i += 2)
    if (i + w >= 0 && i < n) sum += in[i + w] - in[i];
  return sum;
}
