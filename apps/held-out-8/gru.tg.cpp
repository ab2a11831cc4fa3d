// A gated recurrent unit over steps of time, by a batch: what inputs give to its gates (reset, update, new) is computed
// before; each step has a product of the state and the recurrent weights.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void gru(const Array<3, float> in, const Array<2, float> u, Array<2, float> h, Array<3, float> out)
    __requires(in.size(1) == h.size(0) && in.size(2) == 3 * h.size(1) && u.size(0) == h.size(1) &&
               u.size(1) == 3 * h.size(1))
        __requires(out.size(0) == in.size(0) && out.size(1) == h.size(0) && out.size(2) == h.size(1));

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

__codelet void gru(const Array<3, float> in, const Array<2, float> u, Array<2, float> h, Array<3, float> out) {
  size_t steps = in.size(0), batch = h.size(0), hidden = h.size(1);
  for (size_t t = 0; t < steps; ++t) {
    for (size_t b = 0; b < batch; ++b)
      for (size_t j = 0; j < hidden; ++j) {
        float reset = in[t][b][j], update = in[t][b][hidden + j], fresh = 0;
        for (size_t k = 0; k < hidden; ++k) {
          reset += h[b][k] * u[k][j];
          update += h[b][k] * u[k][hidden + j];
          fresh += h[b][k] * u[k][2 * hidden + j];
        }
        float candidate = std::tanh(in[t][b][2 * hidden + j] + sigmoid(reset) * fresh);
        float keep = sigmoid(update);
        out[t][b][j] = (1 - keep) * candidate + keep * h[b][j];
      }
    for (size_t b = 0; b < batch; ++b)
      for (size_t j = 0; j < hidden; ++j) h[b][j] = out[t][b][j];
  }
}
