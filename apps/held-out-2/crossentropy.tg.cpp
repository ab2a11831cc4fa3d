// The mean cross-entropy of rows of logits and the class of each row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum float crossentropy(const Array<2, float> logits, const Array<1, int> label)
    __requires(logits.size(0) == label.size());

__codelet float crossentropy(const Array<2, float> logits, const Array<1, int> label) {
  float loss = 0;
  for (size_t i = 0; i < logits.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < logits.size(1); ++j) most = std::max(most, logits[i][j]);
    float sum = 0;
    for (size_t j = 0; j < logits.size(1); ++j) sum += std::exp(logits[i][j] - most);
    loss += std::log(sum) + most - logits[i][label[i]];
  }
  return loss / logits.size(0);
}
