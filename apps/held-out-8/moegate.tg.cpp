// The gate of a mixture of experts: for each token the best expert, how probable it is (softmax), and the token's slot
// among those of that expert; how many tokens each expert gets.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void moegate(const Array<2, float> x, const Array<2, float> w, Array<1, unsigned> expert,
                        Array<1, float> gate, Array<1, unsigned> slot, Array<1, unsigned> count)
    __requires(w.size(1) == x.size(1) && w.size(0) == count.size() && count.size() > 0)
        __requires(expert.size() == x.size(0) && gate.size() == x.size(0) && slot.size() == x.size(0));

__codelet void moegate(const Array<2, float> x, const Array<2, float> w, Array<1, unsigned> expert,
                       Array<1, float> gate, Array<1, unsigned> slot, Array<1, unsigned> count) {
  size_t tokens = x.size(0), width = x.size(1), experts = w.size(0);
  Array<2, float> logit(tokens, experts);
  for (size_t t = 0; t < tokens; ++t)
    for (size_t e = 0; e < experts; ++e) {
      float sum = 0;
      for (size_t d = 0; d < width; ++d) sum += x[t][d] * w[e][d];
      logit[t][e] = sum;
    }
  for (size_t t = 0; t < tokens; ++t) {
    unsigned best = 0;
    for (size_t e = 1; e < experts; ++e)
      if (logit[t][e] > logit[t][best]) best = e;
    float total = 0;
    for (size_t e = 0; e < experts; ++e) total += std::exp(logit[t][e] - logit[t][best]);
    expert[t] = best;
    gate[t] = 1 / total;
  }
  for (size_t e = 0; e < experts; ++e) count[e] = 0;
  for (size_t t = 0; t < tokens; ++t) {
    slot[t] = count[expert[t]];
    count[expert[t]] += 1;
  }
}
