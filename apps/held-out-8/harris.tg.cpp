// Harris's response to corners of a grey picture: products of Sobel's gradients, added up over 3 x 3 points. At the
// border it is zero.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void harris(float k, const Array<2, uint8_t> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void harris(float k, const Array<2, uint8_t> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  Array<2, float> xx(rows, columns), xy(rows, columns), yy(rows, columns);
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      int gx = in[i - 1][j + 1] + 2 * in[i][j + 1] + in[i + 1][j + 1] - in[i - 1][j - 1] - 2 * in[i][j - 1] -
               in[i + 1][j - 1];
      int gy = in[i + 1][j - 1] + 2 * in[i + 1][j] + in[i + 1][j + 1] - in[i - 1][j - 1] - 2 * in[i - 1][j] -
               in[i - 1][j + 1];
      float x = gx / 1020.0f, y = gy / 1020.0f;
      xx[i][j] = x * x;
      xy[i][j] = x * y;
      yy[i][j] = y * y;
    }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      out[i][j] = 0;
      if (i < 2 || i >= rows - 2 || j < 2 || j >= columns - 2) continue;
      float a = 0, b = 0, c = 0;
      for (int r = i - 1; r <= i + 1; ++r)
        for (int s = j - 1; s <= j + 1; ++s) {
          a += xx[r][s];
          b += xy[r][s];
          c += yy[r][s];
        }
      out[i][j] = a * c - b * b - k * (a + c) * (a + c);
    }
}
