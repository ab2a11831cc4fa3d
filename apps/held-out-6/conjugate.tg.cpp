// Conjugate gradients: some iterations from zero towards the solution of (4 + shift) x - (x of the four neighbours) = b
// on a grid, whose border is zero.
#include <tangram/tangram.h>

__spectrum void conjugate(unsigned iterations, float shift, const Array<2, float> b, Array<2, float> x)
    __requires(x.size(0) == b.size(0) && x.size(1) == b.size(1));

__codelet void conjugate(unsigned iterations, float shift, const Array<2, float> b, Array<2, float> x) {
  int rows = b.size(0), columns = b.size(1);
  Array<2, float> r(rows, columns), p(rows, columns), ap(rows, columns);
  double squares = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      bool inside = i > 0 && i < rows - 1 && j > 0 && j < columns - 1;
      x[i][j] = 0;
      r[i][j] = inside ? b[i][j] : 0;
      p[i][j] = r[i][j];
      squares += double(r[i][j]) * r[i][j];
    }
  for (unsigned t = 0; t < iterations; ++t) {
    double along = 0;
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        ap[i][j] = (4 + shift) * p[i][j] - p[i - 1][j] - p[i + 1][j] - p[i][j - 1] - p[i][j + 1];
        along += double(p[i][j]) * ap[i][j];
      }
    if (along == 0) break;
    float alpha = squares / along;
    double next = 0;
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        x[i][j] += alpha * p[i][j];
        r[i][j] -= alpha * ap[i][j];
        next += double(r[i][j]) * r[i][j];
      }
    float beta = next / squares;
    squares = next;
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) p[i][j] = r[i][j] + beta * p[i][j];
  }
}
