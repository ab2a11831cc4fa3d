// Attention of one head: O = softmax(Q K' / sqrt(d)) V.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void attention(const Array<2, float> q, const Array<2, float> k, const Array<2, float> v, Array<2, float> o)
    __requires(q.size(0) == o.size(0) && q.size(1) == k.size(1))
        __requires(k.size(0) == v.size(0) && v.size(1) == o.size(1));

__codelet void attention(const Array<2, float> q, const Array<2, float> k, const Array<2, float> v, Array<2, float> o) {
  float scale = 1 / std::sqrt(float(q.size(1)));
  for (size_t i = 0; i < q.size(0); ++i) {
    Array<1, float> score(k.size(0));
    float most = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < k.size(0); ++j) {
      float dot = 0;
      for (size_t d = 0; d < q.size(1); ++d) dot += q[i][d] * k[j][d];
      score[j] = dot * scale;
      most = std::max(most, score[j]);
    }
    float sum = 0;
    for (size_t j = 0; j < k.size(0); ++j) {
      score[j] = std::exp(score[j] - most);
      sum += score[j];
    }
    for (size_t d = 0; d < v.size(1); ++d) {
      float result = 0;
      for (size_t j = 0; j < k.size(0); ++j) result += score[j] * v[j][d];
      o[i][d] = result / sum;
    }
  }
}
