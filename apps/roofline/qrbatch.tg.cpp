// Many small matrices factored into Q and R by Householder's reflections, in place.
// sizes: a=131072x32x32 tau=131072x32
// least: bytes 131072*32*32*8+131072*32*4; operations 131072*32*32*32*4/3; launches 1
#include <cmath>
#include <tangram/tangram.h>

__spectrum void qrbatch(Array<3, float> a, Array<2, float> tau)
    __requires(tau.size(0) == a.size(0) && tau.size(1) == a.size(2) && a.size(1) >= a.size(2));

__codelet void qrbatch(Array<3, float> a, Array<2, float> tau) {
  int count = a.size(0), m = a.size(1), n = a.size(2);
  for (int b = 0; b < count; ++b)
    for (int k = 0; k < n; ++k) {
      float norm = 0;
      for (int i = k + 1; i < m; ++i) norm += a[b][i][k] * a[b][i][k];
      if (norm == 0) {
        tau[b][k] = 0;
        continue;
      }
      float alpha = a[b][k][k], beta = std::sqrt(alpha * alpha + norm);
      if (alpha > 0) beta = -beta;
      tau[b][k] = (beta - alpha) / beta;
      for (int i = k + 1; i < m; ++i) a[b][i][k] /= alpha - beta;
      a[b][k][k] = beta;
      for (int j = k + 1; j < n; ++j) {
        float sum = a[b][k][j];
        for (int i = k + 1; i < m; ++i) sum += a[b][i][k] * a[b][i][j];
        sum *= tau[b][k];
        a[b][k][j] -= sum;
        for (int i = k + 1; i < m; ++i) a[b][i][j] -= sum * a[b][i][k];
      }
    }
}
