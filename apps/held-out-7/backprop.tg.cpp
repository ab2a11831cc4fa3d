// A step of training a net of two layers by a batch of examples (as Rodinia's backprop does by one): what it says, how
// wrong that is, and weights that are less so.
#include <cmath>
#include <tangram/tangram.h>

__spectrum float backprop(float rate, const Array<2, float> in, const Array<2, float> target, Array<2, float> w1,
                          Array<2, float> w2)
    __requires(in.size(1) == w1.size(0) && w1.size(1) == w2.size(0))
        __requires(target.size(0) == in.size(0) && target.size(1) == w2.size(1));

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

__codelet float backprop(float rate, const Array<2, float> in, const Array<2, float> target, Array<2, float> w1,
                         Array<2, float> w2) {
  size_t batch = in.size(0), inputs = w1.size(0), hidden = w1.size(1), outputs = w2.size(1);
  Array<2, float> h(batch, hidden), delta_h(batch, hidden), delta_o(batch, outputs);
  for (size_t n = 0; n < batch; ++n)
    for (size_t j = 0; j < hidden; ++j) {
      float sum = 0;
      for (size_t i = 0; i < inputs; ++i) sum += in[n][i] * w1[i][j];
      h[n][j] = sigmoid(sum);
    }
  float error = 0;
  for (size_t n = 0; n < batch; ++n)
    for (size_t k = 0; k < outputs; ++k) {
      float sum = 0;
      for (size_t j = 0; j < hidden; ++j) sum += h[n][j] * w2[j][k];
      float o = sigmoid(sum);
      delta_o[n][k] = o * (1 - o) * (target[n][k] - o);
      error += std::abs(delta_o[n][k]);
    }
  for (size_t n = 0; n < batch; ++n)
    for (size_t j = 0; j < hidden; ++j) {
      float sum = 0;
      for (size_t k = 0; k < outputs; ++k) sum += delta_o[n][k] * w2[j][k];
      delta_h[n][j] = h[n][j] * (1 - h[n][j]) * sum;
    }
  for (size_t j = 0; j < hidden; ++j)
    for (size_t k = 0; k < outputs; ++k) {
      float sum = 0;
      for (size_t n = 0; n < batch; ++n) sum += h[n][j] * delta_o[n][k];
      w2[j][k] += rate * sum;
    }
  for (size_t i = 0; i < inputs; ++i)
    for (size_t j = 0; j < hidden; ++j) {
      float sum = 0;
      for (size_t n = 0; n < batch; ++n) sum += in[n][i] * delta_h[n][j];
      w1[i][j] += rate * sum;
    }
  return error;
}
