// Attention of all tokens of a prompt, many heads: each token attends to itself and to those before it (a causal mask).
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void prefill(const Array<3, float> q, const Array<3, float> k, const Array<3, float> v, Array<3, float> o)
    __requires(k.size(0) == q.size(0) && k.size(1) == q.size(1) && k.size(2) == q.size(2))
        __requires(v.size(0) == q.size(0) && v.size(1) == q.size(1) && v.size(2) == q.size(2))
            __requires(o.size(0) == q.size(0) && o.size(1) == q.size(1) && o.size(2) == q.size(2));

__codelet void prefill(const Array<3, float> q, const Array<3, float> k, const Array<3, float> v, Array<3, float> o) {
  size_t heads = q.size(0), tokens = q.size(1), width = q.size(2);
  float scale = 1 / std::sqrt(float(width));
  Array<1, float> weight(tokens);
  for (size_t h = 0; h < heads; ++h)
    for (size_t i = 0; i < tokens; ++i) {
      float most = -std::numeric_limits<float>::infinity();
      for (size_t j = 0; j <= i; ++j) {
        float dot = 0;
        for (size_t d = 0; d < width; ++d) dot += q[h][i][d] * k[h][j][d];
        weight[j] = dot * scale;
        most = std::max(most, weight[j]);
      }
      float total = 0;
      for (size_t j = 0; j <= i; ++j) {
        weight[j] = std::exp(weight[j] - most);
        total += weight[j];
      }
      for (size_t d = 0; d < width; ++d) {
        float sum = 0;
        for (size_t j = 0; j <= i; ++j) sum += weight[j] * v[h][j][d];
        o[h][i][d] = sum / total;
      }
    }
}
