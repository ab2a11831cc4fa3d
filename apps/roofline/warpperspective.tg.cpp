// A picture by a projective map, with bilinear samples and a constant border, three channels.
// sizes: in=2160x3840x3 out=2160x3840x3
// least: bytes 2160*3840*6; operations 2160*3840*40
#include <cmath>
#include <tangram/tangram.h>

struct Matrix {
  float a, b, c, d, e, f, g, h, i;
};
__spectrum void warpperspective(Matrix m, const Array<3, unsigned char> in, Array<3, unsigned char> out)
    __requires(in.size(2) == 3 && out.size(2) == 3);
float pixel(const Array<3, unsigned char> in, int y, int x, int c) {
  return y >= 0 && x >= 0 && y < int(in.size(0)) && x < int(in.size(1)) ? in[y][x][c] : 0;
}

__codelet void warpperspective(Matrix m, const Array<3, unsigned char> in, Array<3, unsigned char> out) {
  for (size_t y = 0; y < out.size(0); ++y)
    for (size_t x = 0; x < out.size(1); ++x) {
      float w = m.g * x + m.h * y + m.i;
      float sx = (m.a * x + m.b * y + m.c) / w, sy = (m.d * x + m.e * y + m.f) / w;
      int x0 = std::floor(sx), y0 = std::floor(sy);
      float fx = sx - x0, fy = sy - y0;
      for (int c = 0; c < 3; ++c)
        out[y][x][c] = (1 - fy) * ((1 - fx) * pixel(in, y0, x0, c) + fx * pixel(in, y0, x0 + 1, c)) +
                       fy * ((1 - fx) * pixel(in, y0 + 1, x0, c) + fx * pixel(in, y0 + 1, x0 + 1, c)) + 0.5f;
    }
}
