// correlation of PolyBench: of the columns of a matrix, which are first centered and scaled in place.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void correlation(Array<2, double> data, Array<2, double> result)
    __requires(result.size(0) == data.size(1) && result.size(1) == data.size(1));

__codelet void correlation(Array<2, double> data, Array<2, double> result) {
  size_t n = data.size(0), m = data.size(1);
  Array<1, double> mean(m), deviation(m);
  for (size_t j = 0; j < m; ++j) {
    mean[j] = 0;
    for (size_t i = 0; i < n; ++i) mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (size_t j = 0; j < m; ++j) {
    deviation[j] = 0;
    for (size_t i = 0; i < n; ++i) deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    deviation[j] = std::sqrt(deviation[j] / n);
    if (deviation[j] <= 0.1) deviation[j] = 1; // such columns would be divided by nearly nothing
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) {
      data[i][j] -= mean[j];
      data[i][j] /= std::sqrt(double(n)) * deviation[j];
    }
  for (size_t i = 0; i < m; ++i) {
    result[i][i] = 1;
    for (size_t j = i + 1; j < m; ++j) {
      result[i][j] = 0;
      for (size_t k = 0; k < n; ++k) result[i][j] += data[k][i] * data[k][j];
      result[j][i] = result[i][j];
    }
  }
}
