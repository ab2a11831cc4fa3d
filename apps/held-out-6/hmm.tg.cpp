// How likely a hidden Markov model makes each sequence of symbols: the forward algorithm, whose probabilities are
// scaled to a sum of one at each symbol.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void hmm(const Array<1, float> start, const Array<2, float> transition, const Array<2, float> emission,
                    const Array<2, unsigned> symbol, Array<1, float> likelihood)
    __requires(transition.size(0) == start.size() && transition.size(1) == start.size())
        __requires(emission.size(1) == start.size() && likelihood.size() == symbol.size(0));

__codelet void hmm(const Array<1, float> start, const Array<2, float> transition, const Array<2, float> emission,
                   const Array<2, unsigned> symbol, Array<1, float> likelihood) {
  size_t states = start.size();
  for (size_t n = 0; n < symbol.size(0); ++n) {
    Array<1, float> now(states), next(states);
    float result = 0;
    for (size_t t = 0; t < symbol.size(1); ++t) {
      float sum = 0;
      for (size_t j = 0; j < states; ++j) {
        float reached = 0;
        if (t == 0)
          reached = start[j];
        else
          for (size_t i = 0; i < states; ++i) reached += now[i] * transition[i][j];
        next[j] = reached * emission[symbol[n][t]][j];
        sum += next[j];
      }
      for (size_t j = 0; j < states; ++j) now[j] = next[j] / sum;
      result += std::log(sum);
    }
    likelihood[n] = result;
  }
}
