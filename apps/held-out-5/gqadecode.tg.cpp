// Attention of one new token of each sequence to those before it, whose keys and values are cached; several heads of
// queries share a head of keys and values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void gqadecode(const Array<3, float> q, const Array<4, float> k, const Array<4, float> v,
                          const Array<1, unsigned> length, Array<3, float> out)
    __requires(k.size(2) > 0 && q.size(1) % k.size(2) == 0 &&
               length.size() == q.size(0)) __requires(k.size(0) == q.size(0) && k.size(3) == q.size(2))
        __requires(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2) && v.size(3) == k.size(3))
            __requires(out.size(0) == q.size(0) && out.size(1) == q.size(1) && out.size(2) == q.size(2));

__codelet void gqadecode(const Array<3, float> q, const Array<4, float> k, const Array<4, float> v,
                         const Array<1, unsigned> length, Array<3, float> out) {
  size_t heads = q.size(1), width = q.size(2), shared = heads / k.size(2);
  float scale = 1 / std::sqrt(float(width));
  for (size_t n = 0; n < q.size(0); ++n) {
    size_t tokens = std::min(size_t(length[n]), k.size(1));
    for (size_t h = 0; h < heads; ++h) {
      size_t g = h / shared;
      Array<1, float> score(k.size(1));
      float most = -std::numeric_limits<float>::infinity();
      for (size_t t = 0; t < tokens; ++t) {
        float dot = 0;
        for (size_t d = 0; d < width; ++d) dot += q[n][h][d] * k[n][t][g][d];
        score[t] = dot * scale;
        most = std::max(most, score[t]);
      }
      float sum = 0;
      for (size_t t = 0; t < tokens; ++t) {
        score[t] = std::exp(score[t] - most);
        sum += score[t];
      }
      for (size_t d = 0; d < width; ++d) {
        float mix = 0;
        for (size_t t = 0; t < tokens; ++t) mix += score[t] * v[n][t][g][d];
        out[n][h][d] = sum > 0 ? mix / sum : 0;
      }
    }
  }
}
