// Adafactor: factors by row and column of the squared gradient, an update clipped by its root mean square.
// sizes: w=8192x8192
// least: bytes 8192*8192*12; operations 8192*8192*10; launches 4
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void adafactor(float rate, float beta, const Array<2, float> grad, Array<2, float> w, Array<1, float> row,
                          Array<1, float> column)
    __requires(grad.size(0) == w.size(0) && grad.size(1) == w.size(1) && row.size() == w.size(0) &&
               column.size() == w.size(1) && w.size() > 0);

__codelet void adafactor(float rate, float beta, const Array<2, float> grad, Array<2, float> w, Array<1, float> row,
                         Array<1, float> column) {
  int n = w.size(0), m = w.size(1);
  for (int i = 0; i < n; ++i) row[i] *= beta;
  for (int j = 0; j < m; ++j) column[j] *= beta;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float g2 = grad[i][j] * grad[i][j] + 1e-30f;
      row[i] += (1 - beta) * g2 / m;
      column[j] += (1 - beta) * g2 / n;
    }
  float mean = 0;
  for (int i = 0; i < n; ++i) mean += row[i];
  mean /= n;
  float square = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float u = grad[i][j] / std::sqrt(std::abs(row[i] * column[j] / mean) + 1e-12f);
      square += u * u;
    }
  float clip = std::max(1.0f, std::sqrt(square / n / m));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      w[i][j] -= rate / clip * grad[i][j] / std::sqrt(std::abs(row[i] * column[j] / mean) + 1e-12f);
}
