// Maxwell's equations in two dimensions with a perfectly matched layer around: split fields with losses by row and
// column, in steps of time, a source in the middle.
// sizes: ezx=4096x4096 steps=16
// least: bytes 16*4096*4096*4*10; operations 16*4096*4096*20; launches 32
#include <cmath>
#include <tangram/tangram.h>

__spectrum void maxwellpml(int steps, float rate, const Array<1, float> lossx, const Array<1, float> lossy,
                           Array<2, float> ezx, Array<2, float> ezy, Array<2, float> hx, Array<2, float> hy)
    __requires(lossx.size() == ezx.size(1) && lossy.size() == ezx.size(0) && ezy.size(0) == ezx.size(0) &&
               ezy.size(1) == ezx.size(1) && hx.size(0) == ezx.size(0) && hx.size(1) == ezx.size(1))
        __requires(hy.size(0) == ezx.size(0) && hy.size(1) == ezx.size(1));

__codelet void maxwellpml(int steps, float rate, const Array<1, float> lossx, const Array<1, float> lossy,
                          Array<2, float> ezx, Array<2, float> ezy, Array<2, float> hx, Array<2, float> hy) {
  int rows = ezx.size(0), columns = ezx.size(1);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < rows - 1; ++i)
      for (int j = 0; j < columns - 1; ++j) {
        float here = ezx[i][j] + ezy[i][j];
        hx[i][j] = lossy[i] * hx[i][j] - rate * (ezx[i + 1][j] + ezy[i + 1][j] - here);
        hy[i][j] = lossx[j] * hy[i][j] + rate * (ezx[i][j + 1] + ezy[i][j + 1] - here);
      }
    for (int i = 1; i < rows; ++i)
      for (int j = 1; j < columns; ++j) {
        ezx[i][j] = lossx[j] * ezx[i][j] + rate * (hy[i][j] - hy[i][j - 1]);
        ezy[i][j] = lossy[i] * ezy[i][j] - rate * (hx[i][j] - hx[i - 1][j]);
      }
    ezx[rows / 2][columns / 2] += std::sin(0.1f * t);
  }
}
