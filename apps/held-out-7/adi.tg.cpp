// adi of PolyBench: heat in two dimensions, of which each step of time solves tridiagonal systems along columns and then
// along rows.
#include <tangram/tangram.h>

__spectrum void adi(int steps, Array<2, double> u) __requires(steps > 0 && u.size(0) == u.size(1) && u.size(0) > 2);

__codelet void adi(int steps, Array<2, double> u) {
  int n = u.size(0);
  Array<2, double> v(n, n), p(n, n), q(n, n);
  double dx = 1.0 / n, dy = 1.0 / n, dt = 1.0 / steps;
  double mul1 = 2 * dt / (dx * dx), mul2 = dt / (dy * dy);
  double a = -mul1 / 2, b = 1 + mul1, c = a, d = -mul2 / 2, e = 1 + mul2, f = d;
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i) {
      v[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; ++j) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = 1;
      for (int j = n - 2; j >= 1; --j) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < n - 1; ++i) {
      u[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = u[i][0];
      for (int j = 1; j < n - 1; ++j) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = 1;
      for (int j = n - 2; j >= 1; --j) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
