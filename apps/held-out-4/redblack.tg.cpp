// Poisson's equation by overrelaxation in double precision, in place: sweeps over all red points, then over all black
// ones.
#include <tangram/tangram.h>

__spectrum void redblack(int sweeps, double omega, const Array<2, double> f, Array<2, double> u)
    __requires(f.size(0) == u.size(0) && f.size(1) == u.size(1));

__codelet void redblack(int sweeps, double omega, const Array<2, double> f, Array<2, double> u) {
  for (int t = 0; t < sweeps; ++t)
    for (size_t colour = 0; colour < 2; ++colour)
      for (size_t i = 1; i + 1 < u.size(0); ++i)
        for (size_t j = 1 + (i + colour) % 2; j + 1 < u.size(1); j += 2) {
          double mean = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
          u[i][j] += omega * (mean - u[i][j]);
        }
}
