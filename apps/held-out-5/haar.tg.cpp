// The Haar wavelet transform of each row, all levels: means first, then details from coarse to fine.
#include <tangram/tangram.h>

__spectrum void haar(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void haar(const Array<2, float> in, Array<2, float> out) {
  const float half = 0.70710678f;
  size_t n = in.size(1);
  for (size_t i = 0; i < in.size(0); ++i) {
    Array<1, float> means(n);
    for (size_t j = 0; j < n; ++j) means[j] = in[i][j];
    size_t length = n;
    while (length > 1 && length % 2 == 0) {
      length /= 2;
      for (size_t j = 0; j < length; ++j) {
        float a = means[2 * j], b = means[2 * j + 1];
        means[j] = (a + b) * half;
        out[i][length + j] = (a - b) * half;
      }
    }
    for (size_t j = 0; j < length; ++j) out[i][j] = means[j];
  }
}
