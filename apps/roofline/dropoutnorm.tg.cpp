// Dropout by a counter-based generator, a residual, and layer normalisation.
// sizes: x=16384x4096
// least: bytes 16384*4096*4*4; operations 16384*4096*40
#include <cmath>
#include <tangram/tangram.h>

unsigned mix(unsigned a, unsigned b) {
  for (int r = 0; r < 7; ++r) {
    unsigned long long p = 0xD256D193ull * a;
    a = unsigned(p >> 32) ^ b;
    b = unsigned(p) + 0x9E3779B9u * r;
  }
  return a ^ b;
}
__spectrum void dropoutnorm(unsigned seed, float keep, const Array<2, float> x, const Array<2, float> residual,
                            const Array<1, float> gain, const Array<1, float> bias, Array<2, float> sum,
                            Array<2, float> y)
    __requires(residual.size(0) == x.size(0) && residual.size(1) == x.size(1) && gain.size() == x.size(1) &&
               bias.size() == x.size(1)) __requires(sum.size(0) == x.size(0) && sum.size(1) == x.size(1) &&
                                                    y.size(0) == x.size(0) && y.size(1) == x.size(1) && keep > 0);

__codelet void dropoutnorm(unsigned seed, float keep, const Array<2, float> x, const Array<2, float> residual,
                           const Array<1, float> gain, const Array<1, float> bias, Array<2, float> sum,
                           Array<2, float> y) {
  size_t rows = x.size(0), width = x.size(1);
  for (size_t i = 0; i < rows; ++i) {
    float mean = 0, m2 = 0;
    for (size_t j = 0; j < width; ++j) {
      float u = (mix(i * width + j, seed) >> 8) * (1.0f / 16777216);
      float v = (u < keep ? x[i][j] / keep : 0) + residual[i][j];
      sum[i][j] = v;
      float delta = v - mean; // Welford
      mean += delta / (j + 1);
      m2 += delta * (v - mean);
    }
    float r = 1 / std::sqrt(m2 / width + 1e-5f);
    for (size_t j = 0; j < width; ++j) y[i][j] = (sum[i][j] - mean) * r * gain[j] + bias[j];
  }
}
