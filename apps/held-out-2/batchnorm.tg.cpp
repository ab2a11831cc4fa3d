// Batch normalisation in training: of each channel of a batch of images (NCHW) the mean and variance, and the images
// with a mean of 0 and a variance of 1, times a gain and plus a bias.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void batchnorm(float epsilon, const Array<4, float> in, const Array<1, float> gain,
                          const Array<1, float> bias, Array<1, float> mean, Array<1, float> variance,
                          Array<4, float> out) __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1))
    __requires(out.size(2) == in.size(2) && out.size(3) == in.size(3))
        __requires(gain.size() == in.size(1) && bias.size() == in.size(1))
            __requires(mean.size() == in.size(1) && variance.size() == in.size(1));

__codelet void batchnorm(float epsilon, const Array<4, float> in, const Array<1, float> gain,
                         const Array<1, float> bias, Array<1, float> mean, Array<1, float> variance,
                         Array<4, float> out) {
  float count = in.size(0) * in.size(2) * in.size(3);
  for (size_t c = 0; c < in.size(1); ++c) {
    float sum = 0, squares = 0;
    for (size_t n = 0; n < in.size(0); ++n)
      for (size_t y = 0; y < in.size(2); ++y)
        for (size_t x = 0; x < in.size(3); ++x) {
          sum += in[n][c][y][x];
          squares += in[n][c][y][x] * in[n][c][y][x];
        }
    mean[c] = sum / count;
    variance[c] = squares / count - mean[c] * mean[c];
  }
  for (size_t n = 0; n < in.size(0); ++n)
    for (size_t c = 0; c < in.size(1); ++c) {
      float scale = gain[c] / std::sqrt(variance[c] + epsilon);
      for (size_t y = 0; y < in.size(2); ++y)
        for (size_t x = 0; x < in.size(3); ++x) out[n][c][y][x] = (in[n][c][y][x] - mean[c]) * scale + bias[c];
    }
}
