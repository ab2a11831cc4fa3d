// Each row's exponentials, as shares of their sum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void softmax(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void softmax(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < in.size(1); ++j) most = std::max(most, in[i][j]);
    float sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) sum += std::exp(in[i][j] - most);
    for (size_t j = 0; j < in.size(1); ++j) out[i][j] = std::exp(in[i][j] - most) / sum;
  }
}
