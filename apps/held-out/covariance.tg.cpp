// covariance of PolyBench: of the columns of a matrix, from which their means are taken in place.
#include <tangram/tangram.h>

__spectrum void covariance(Array<2, double> data, Array<2, double> result)
    __requires(result.size(0) == data.size(1) && result.size(1) == data.size(1));

__codelet void covariance(Array<2, double> data, Array<2, double> result) {
  size_t n = data.size(0), m = data.size(1);
  Array<1, double> mean(m);
  for (size_t j = 0; j < m; ++j) {
    mean[j] = 0;
    for (size_t i = 0; i < n; ++i) mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) data[i][j] -= mean[j];
  for (size_t i = 0; i < m; ++i)
    for (size_t j = i; j < m; ++j) {
      result[i][j] = 0;
      for (size_t k = 0; k < n; ++k) result[i][j] += data[k][i] * data[k][j];
      result[i][j] /= n - 1.0;
      result[j][i] = result[i][j];
    }
}
