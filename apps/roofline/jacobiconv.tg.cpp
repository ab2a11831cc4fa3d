// Jacobi's method for Laplace's equation until it converges.
// sizes: u=4096x4096 most=16
// least: bytes 16*4096*4096*8; operations 16*4096*4096*7; launches 32
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum int laplace(int most, float tolerance, Array<2, float> u);

__codelet int laplace(int most, float tolerance, Array<2, float> u) {
  int n = u.size(0), m = u.size(1), iterations = 0;
  Array<2, float> next(n, m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) next[i][j] = u[i][j];
  float error = 2 * tolerance + 1;
  while (error > tolerance && iterations < most) {
    error = 0;
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) {
        next[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        error = std::max(error, std::abs(next[i][j] - u[i][j]));
      }
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) u[i][j] = next[i][j];
    ++iterations;
  }
  return iterations;
}
