// Of each column of a matrix the logarithm of the sum of its exponentials, by way of its greatest number.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void logsumexp(const Array<2, float> in, Array<1, float> out)
    __requires(out.size() == in.size(1) && in.size(0) > 0);

__codelet void logsumexp(const Array<2, float> in, Array<1, float> out) {
  for (size_t j = 0; j < in.size(1); ++j) {
    float most = in[0][j];
    for (size_t i = 1; i < in.size(0); ++i) most = std::max(most, in[i][j]);
    float sum = 0;
    for (size_t i = 0; i < in.size(0); ++i) sum += std::exp(in[i][j] - most);
    out[j] = most + std::log(sum);
  }
}
