// The gradients of instance normalisation, by input, gain and bias: each channel of each picture has a mean and a
// variance of its own.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void instancenormgrad(float epsilon, const Array<4, float> x, const Array<1, float> gain,
                                 const Array<4, float> dy, Array<4, float> dx, Array<1, float> dgain,
                                 Array<1, float> dbias)
    __requires(gain.size() == x.size(1) && dgain.size() == x.size(1) && dbias.size() == x.size(1) && epsilon > 0)
        __requires(dy.size(0) == x.size(0) && dy.size(1) == x.size(1) && dy.size(2) == x.size(2) &&
                   dy.size(3) == x.size(3))
            __requires(dx.size(0) == x.size(0) && dx.size(1) == x.size(1) && dx.size(2) == x.size(2) &&
                       dx.size(3) == x.size(3));

__codelet void instancenormgrad(float epsilon, const Array<4, float> x, const Array<1, float> gain,
                                const Array<4, float> dy, Array<4, float> dx, Array<1, float> dgain,
                                Array<1, float> dbias) {
  size_t pictures = x.size(0), channels = x.size(1), rows = x.size(2), columns = x.size(3);
  float points = rows * columns;
  for (size_t c = 0; c < channels; ++c) {
    dgain[c] = 0;
    dbias[c] = 0;
  }
  for (size_t n = 0; n < pictures; ++n)
    for (size_t c = 0; c < channels; ++c) {
      float mean = 0, variance = 0;
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) mean += x[n][c][i][j];
      mean /= points;
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) variance += (x[n][c][i][j] - mean) * (x[n][c][i][j] - mean);
      float inverse = 1 / std::sqrt(variance / points + epsilon);
      float sum = 0, product = 0;
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) {
          sum += dy[n][c][i][j];
          product += dy[n][c][i][j] * (x[n][c][i][j] - mean) * inverse;
        }
      dbias[c] += sum;
      dgain[c] += product;
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) {
          float normal = (x[n][c][i][j] - mean) * inverse;
          dx[n][c][i][j] = gain[c] * inverse * (dy[n][c][i][j] - sum / points - normal * product / points);
        }
    }
}
