// Gradients of layer normalisation, by its input, its gain and its bias; rows' means and inverse deviations are known.
#include <tangram/tangram.h>

__spectrum void layernormgrad(const Array<2, float> x, const Array<1, float> gain, const Array<1, float> mean,
                              const Array<1, float> inverse, const Array<2, float> dy, Array<2, float> dx,
                              Array<1, float> dgain, Array<1, float> dbias)
    __requires(dy.size(0) == x.size(0) && dy.size(1) == x.size(1) && dx.size(0) == x.size(0) && dx.size(1) == x.size(1))
        __requires(mean.size() == x.size(0) && inverse.size() == x.size(0) && gain.size() == x.size(1))
            __requires(dgain.size() == x.size(1) && dbias.size() == x.size(1));

__codelet void layernormgrad(const Array<2, float> x, const Array<1, float> gain, const Array<1, float> mean,
                             const Array<1, float> inverse, const Array<2, float> dy, Array<2, float> dx,
                             Array<1, float> dgain, Array<1, float> dbias) {
  size_t rows = x.size(0), n = x.size(1);
  for (size_t j = 0; j < n; ++j) {
    dgain[j] = 0;
    dbias[j] = 0;
  }
  for (size_t i = 0; i < rows; ++i) {
    float sum = 0, along = 0;
    for (size_t j = 0; j < n; ++j) {
      float normal = (x[i][j] - mean[i]) * inverse[i], d = dy[i][j] * gain[j];
      sum += d;
      along += d * normal;
      dgain[j] += dy[i][j] * normal;
      dbias[j] += dy[i][j];
    }
    sum /= n;
    along /= n;
    for (size_t j = 0; j < n; ++j) {
      float normal = (x[i][j] - mean[i]) * inverse[i];
      dx[i][j] = inverse[i] * (dy[i][j] * gain[j] - sum - normal * along);
    }
  }
}
