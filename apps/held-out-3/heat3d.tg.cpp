// heat-3d of PolyBench: heat in a solid, from one array to another and back in each step of time.
#include <tangram/tangram.h>

__spectrum void heat3d(int steps, Array<3, double> a, Array<3, double> b)
    __requires(a.size(0) == b.size(0) && a.size(1) == b.size(1) && a.size(2) == b.size(2));

__codelet void heat3d(int steps, Array<3, double> a, Array<3, double> b) {
  size_t ni = a.size(0), nj = a.size(1), nk = a.size(2);
  for (int t = 0; t < steps; ++t) {
    for (size_t i = 1; i + 1 < ni; ++i)
      for (size_t j = 1; j + 1 < nj; ++j)
        for (size_t k = 1; k + 1 < nk; ++k)
          b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                       0.125 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                       0.125 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
    for (size_t i = 1; i + 1 < ni; ++i)
      for (size_t j = 1; j + 1 < nj; ++j)
        for (size_t k = 1; k + 1 < nk; ++k)
          a[i][j][k] = 0.125 * (b[i + 1][j][k] - 2.0 * b[i][j][k] + b[i - 1][j][k]) +
                       0.125 * (b[i][j + 1][k] - 2.0 * b[i][j][k] + b[i][j - 1][k]) +
                       0.125 * (b[i][j][k + 1] - 2.0 * b[i][j][k] + b[i][j][k - 1]) + b[i][j][k];
  }
}
