// Poisson's equation in three dimensions, corrected on a coarser grid: the residual, restricted by full weighting,
// sweeps of Jacobi's method there, and what these give interpolated and added. The border stays as it is.
#include <tangram/tangram.h>

__spectrum void twogrid(int sweeps, float omega, const Array<3, float> f, Array<3, float> u)
    __requires(f.size(0) == u.size(0) && f.size(1) == u.size(1) && f.size(2) == u.size(2));

__codelet void twogrid(int sweeps, float omega, const Array<3, float> f, Array<3, float> u) {
  int n0 = u.size(0), n1 = u.size(1), n2 = u.size(2), m0 = (n0 + 1) / 2, m1 = (n1 + 1) / 2, m2 = (n2 + 1) / 2;
  Array<3, float> r(n0, n1, n2), coarse(m0, m1, m2), e(m0, m1, m2), next(m0, m1, m2);
  for (int i = 1; i < n0 - 1; ++i)
    for (int j = 1; j < n1 - 1; ++j)
      for (int k = 1; k < n2 - 1; ++k)
        r[i][j][k] = f[i][j][k] - (6 * u[i][j][k] - u[i - 1][j][k] - u[i + 1][j][k] - u[i][j - 1][k] -
                                   u[i][j + 1][k] - u[i][j][k - 1] - u[i][j][k + 1]);
  for (int i = 0; i < m0; ++i)
    for (int j = 0; j < m1; ++j)
      for (int k = 0; k < m2; ++k) {
        e[i][j][k] = 0;
        next[i][j][k] = 0;
      }
  for (int i = 1; i < m0 - 1; ++i)
    for (int j = 1; j < m1 - 1; ++j)
      for (int k = 1; k < m2 - 1; ++k) {
        float sum = 0;
        for (int a = -1; a <= 1; ++a)
          for (int b = -1; b <= 1; ++b)
            for (int c = -1; c <= 1; ++c)
              sum += (a == 0 ? 2 : 1) * (b == 0 ? 2 : 1) * (c == 0 ? 2 : 1) * r[2 * i + a][2 * j + b][2 * k + c];
        coarse[i][j][k] = sum / 64;
      }
  for (int s = 0; s < sweeps; ++s) {
    for (int i = 1; i < m0 - 1; ++i)
      for (int j = 1; j < m1 - 1; ++j)
        for (int k = 1; k < m2 - 1; ++k) {
          float around = e[i - 1][j][k] + e[i + 1][j][k] + e[i][j - 1][k] + e[i][j + 1][k] + e[i][j][k - 1] +
                         e[i][j][k + 1];
          next[i][j][k] = (1 - omega) * e[i][j][k] + omega / 6 * (4 * coarse[i][j][k] + around);
        }
    for (int i = 1; i < m0 - 1; ++i)
      for (int j = 1; j < m1 - 1; ++j)
        for (int k = 1; k < m2 - 1; ++k) e[i][j][k] = next[i][j][k];
  }
  for (int i = 1; i < n0 - 1; ++i)
    for (int j = 1; j < n1 - 1; ++j)
      for (int k = 1; k < n2 - 1; ++k) {
        int i0 = i / 2, i1 = (i + 1) / 2, j0 = j / 2, j1 = (j + 1) / 2, k0 = k / 2, k1 = (k + 1) / 2;
        u[i][j][k] += 0.125f * (e[i0][j0][k0] + e[i0][j0][k1] + e[i0][j1][k0] + e[i0][j1][k1] + e[i1][j0][k0] +
                                e[i1][j0][k1] + e[i1][j1][k0] + e[i1][j1][k1]);
      }
}
