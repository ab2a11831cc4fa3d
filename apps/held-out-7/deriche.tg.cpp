// deriche of PolyBench: Deriche's recursive filter, which smoothes a picture along rows, forwards and backwards, and then
// along columns.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void deriche(float alpha, const Array<2, float> in, Array<2, float> out)
    __requires(alpha > 0 && out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void deriche(float alpha, const Array<2, float> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  Array<2, float> y1(rows, columns), y2(rows, columns);
  float fade = std::exp(-alpha);
  float k = (1 - fade) * (1 - fade) / (1 + 2 * alpha * fade - std::exp(-2 * alpha));
  float a1 = k, a2 = k * fade * (alpha - 1), a3 = k * fade * (alpha + 1), a4 = -k * std::exp(-2 * alpha);
  float b1 = std::pow(2.0f, -alpha), b2 = -std::exp(-2 * alpha);
  for (int i = 0; i < rows; ++i) {
    float ym1 = 0, ym2 = 0, xm1 = 0;
    for (int j = 0; j < columns; ++j) {
      y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = in[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < rows; ++i) {
    float yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
    for (int j = columns - 1; j >= 0; --j) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = in[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[i][j] = y1[i][j] + y2[i][j];
  for (int j = 0; j < columns; ++j) {
    float ym1 = 0, ym2 = 0, xm1 = 0;
    for (int i = 0; i < rows; ++i) {
      y1[i][j] = a1 * out[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = out[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int j = 0; j < columns; ++j) {
    float yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
    for (int i = rows - 1; i >= 0; --i) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = out[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[i][j] = y1[i][j] + y2[i][j];
}
