// Each row of a matrix, with a mean of 0 and a variance of 1, times a gain and plus a bias for each column.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void layernorm(float epsilon, const Array<2, float> in, const Array<1, float> gain,
                          const Array<1, float> bias, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1))
        __requires(gain.size() == in.size(1) && bias.size() == in.size(1));

__codelet void layernorm(float epsilon, const Array<2, float> in, const Array<1, float> gain,
                         const Array<1, float> bias, Array<2, float> out) {
  size_t n = in.size(1);
  for (size_t i = 0; i < in.size(0); ++i) {
    float sum = 0;
    for (size_t j = 0; j < n; ++j) sum += in[i][j];
    float mean = sum / n;
    float squares = 0;
    for (size_t j = 0; j < n; ++j) squares += (in[i][j] - mean) * (in[i][j] - mean);
    float scale = 1 / std::sqrt(squares / n + epsilon);
    for (size_t j = 0; j < n; ++j) out[i][j] = (in[i][j] - mean) * scale * gain[j] + bias[j];
  }
}
