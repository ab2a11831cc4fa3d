// Eigenvalues and vectors of many small symmetric matrices by Jacobi's rotations, in sweeps until little is left beside
// the diagonal.
// sizes: a=262144x16x16
// least: bytes 262144*16*16*12; operations 262144*6*120*16*18; launches 1
#include <cmath>
#include <tangram/tangram.h>

__spectrum void jacobieig(float tolerance, Array<3, float> a, Array<3, float> v)
    __requires(a.size(1) == a.size(2) && v.size(0) == a.size(0) && v.size(1) == a.size(1) && v.size(2) == a.size(1));

__codelet void jacobieig(float tolerance, Array<3, float> a, Array<3, float> v) {
  int n = a.size(1);
  for (size_t b = 0; b < a.size(0); ++b) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) v[b][i][j] = i == j ? 1 : 0;
    for (int sweep = 0; sweep < 12; ++sweep) {
      float off = 0;
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) off += a[b][i][j] * a[b][i][j];
      if (off < tolerance) break;
      for (int p = 0; p < n - 1; ++p)
        for (int q = p + 1; q < n; ++q) {
          if (a[b][p][q] == 0) continue;
          float theta = (a[b][q][q] - a[b][p][p]) / (2 * a[b][p][q]);
          float t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
          float c = 1 / std::sqrt(t * t + 1), s = t * c;
          for (int k = 0; k < n; ++k) {
            float x = a[b][k][p], y = a[b][k][q];
            a[b][k][p] = c * x - s * y;
            a[b][k][q] = s * x + c * y;
          }
          for (int k = 0; k < n; ++k) {
            float x = a[b][p][k], y = a[b][q][k];
            a[b][p][k] = c * x - s * y;
            a[b][q][k] = s * x + c * y;
            float z = v[b][k][p], w = v[b][k][q];
            v[b][k][p] = c * z - s * w;
            v[b][k][q] = s * z + c * w;
          }
        }
    }
  }
}
