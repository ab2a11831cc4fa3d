// The selective scan of a state space model (Mamba): each channel of each sequence has 16 states, which decay and take
// in, by how much the input says.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void selectivescan(const Array<3, float> x, const Array<3, float> delta, const Array<2, float> a,
                              const Array<3, float> b, const Array<3, float> c, const Array<1, float> skip,
                              Array<3, float> y)
    __requires(delta.size(0) == x.size(0) && delta.size(1) == x.size(1) && delta.size(2) == x.size(2))
        __requires(y.size(0) == x.size(0) && y.size(1) == x.size(1) && y.size(2) == x.size(2))
            __requires(a.size(0) == x.size(2) && a.size(1) == 16 && skip.size() == x.size(2))
                __requires(b.size(0) == x.size(0) && b.size(1) == x.size(1) && b.size(2) == 16)
                    __requires(c.size(0) == x.size(0) && c.size(1) == x.size(1) && c.size(2) == 16);

__codelet void selectivescan(const Array<3, float> x, const Array<3, float> delta, const Array<2, float> a,
                             const Array<3, float> b, const Array<3, float> c, const Array<1, float> skip,
                             Array<3, float> y) {
  for (size_t n = 0; n < x.size(0); ++n)
    for (size_t d = 0; d < x.size(2); ++d) {
      float state[16];
      for (int s = 0; s < 16; ++s) state[s] = 0;
      for (size_t t = 0; t < x.size(1); ++t) {
        float input = x[n][t][d], step = delta[n][t][d];
        float sum = skip[d] * input;
        for (int s = 0; s < 16; ++s) {
          state[s] = std::exp(step * a[d][s]) * state[s] + step * b[n][t][s] * input;
          sum += state[s] * c[n][t][s];
        }
        y[n][t][d] = sum;
      }
    }
}
