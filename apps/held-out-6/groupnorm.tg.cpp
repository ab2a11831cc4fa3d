// Channels of each picture, in groups, are moved and scaled to a mean of zero and a variance of one; then each channel
// has a gain and a bias.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void groupnorm(unsigned groups, float epsilon, const Array<4, float> in, const Array<1, float> gain,
                          const Array<1, float> bias, Array<4, float> out)
    __requires(groups > 0 && in.size(1) % groups == 0 && gain.size() == in.size(1) && bias.size() == in.size(1))
        __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1))
            __requires(out.size(2) == in.size(2) && out.size(3) == in.size(3));

__codelet void groupnorm(unsigned groups, float epsilon, const Array<4, float> in, const Array<1, float> gain,
                         const Array<1, float> bias, Array<4, float> out) {
  size_t height = in.size(2), width = in.size(3), channels = in.size(1) / groups;
  float count = channels * height * width;
  for (size_t n = 0; n < in.size(0); ++n)
    for (size_t g = 0; g < groups; ++g) {
      float sum = 0;
      for (size_t c = g * channels; c < (g + 1) * channels; ++c)
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x) sum += in[n][c][y][x];
      float mean = sum / count, squares = 0;
      for (size_t c = g * channels; c < (g + 1) * channels; ++c)
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x) {
            float d = in[n][c][y][x] - mean;
            squares += d * d;
          }
      float scale = 1 / std::sqrt(squares / count + epsilon);
      for (size_t c = g * channels; c < (g + 1) * channels; ++c)
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x) out[n][c][y][x] = (in[n][c][y][x] - mean) * scale * gain[c] + bias[c];
    }
}
