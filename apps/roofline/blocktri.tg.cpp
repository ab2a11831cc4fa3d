// Many block tridiagonal systems with blocks of 3x3 (implicit flow solvers), by block elimination without pivots, in place.
// sizes: lower=16384x64x9 diagonal=16384x64x9 upper=16384x64x9 rhs=16384x64x3
// least: bytes 16384*64*8*(27+9+6); operations 16384*64*140; launches 1
#include <tangram/tangram.h>

void invert(double m[9]) {
  double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
  double r = 1.0 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
  double t[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                 c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                 c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
  for (int i = 0; i < 9; i++) m[i] = t[i] * r;
}

__spectrum void blocktri(const Array<3, double> lower, const Array<3, double> diagonal, Array<3, double> upper,
                         Array<3, double> rhs)
    __requires(lower.size(2) == 9 && diagonal.size(2) == 9 && upper.size(2) == 9 && rhs.size(2) == 3)
        __requires(diagonal.size(0) == lower.size(0) && upper.size(0) == lower.size(0) && rhs.size(0) == lower.size(0))
            __requires(diagonal.size(1) == lower.size(1) && upper.size(1) == lower.size(1) && rhs.size(1) == lower.size(1));

__codelet void blocktri(const Array<3, double> lower, const Array<3, double> diagonal, Array<3, double> upper,
                        Array<3, double> rhs) {
  int n = lower.size(1);
  for (size_t s = 0; s < lower.size(0); s++) {
    double cprev[9], dprev[3];
    for (int i = 0; i < 9; i++) cprev[i] = 0;
    for (int i = 0; i < 3; i++) dprev[i] = 0;
    for (int k = 0; k < n; k++) {
      double m[9], d[3];
      for (int r = 0; r < 3; r++) {
        d[r] = rhs[s][k][r];
        for (int e = 0; e < 3; e++) d[r] -= lower[s][k][3 * r + e] * dprev[e];
        for (int c = 0; c < 3; c++) {
          m[3 * r + c] = diagonal[s][k][3 * r + c];
          for (int e = 0; e < 3; e++) m[3 * r + c] -= lower[s][k][3 * r + e] * cprev[3 * e + c];
        }
      }
      invert(m);
      for (int r = 0; r < 3; r++) {
        dprev[r] = m[3 * r] * d[0] + m[3 * r + 1] * d[1] + m[3 * r + 2] * d[2];
        for (int c = 0; c < 3; c++)
          cprev[3 * r + c] = m[3 * r] * upper[s][k][c] + m[3 * r + 1] * upper[s][k][3 + c] + m[3 * r + 2] * upper[s][k][6 + c];
      }
      for (int i = 0; i < 9; i++) upper[s][k][i] = cprev[i];
      for (int i = 0; i < 3; i++) rhs[s][k][i] = dprev[i];
    }
    for (int k = n - 2; k >= 0; k--)
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) rhs[s][k][r] -= upper[s][k][3 * r + c] * rhs[s][k + 1][c];
  }
}
