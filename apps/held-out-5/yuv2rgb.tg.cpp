// A frame of video, planes of brightness and, at half the size, of color (BT.601, limited range), as red, green and
// blue.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void yuv2rgb(const Array<2, uint8_t> y, const Array<2, uint8_t> u, const Array<2, uint8_t> v,
                        Array<3, uint8_t> rgb)
    __requires(rgb.size(0) == y.size(0) && rgb.size(1) == y.size(1) && rgb.size(2) == 3)
        __requires(u.size(0) == (y.size(0) + 1) / 2 && u.size(1) == (y.size(1) + 1) / 2)
            __requires(v.size(0) == u.size(0) && v.size(1) == u.size(1));

uint8_t clip(int x) { return uint8_t(std::min(std::max(x, 0), 255)); }

__codelet void yuv2rgb(const Array<2, uint8_t> y, const Array<2, uint8_t> u, const Array<2, uint8_t> v,
                       Array<3, uint8_t> rgb) {
  for (size_t i = 0; i < y.size(0); ++i)
    for (size_t j = 0; j < y.size(1); ++j) {
      int c = int(y[i][j]) - 16, d = int(u[i / 2][j / 2]) - 128, e = int(v[i / 2][j / 2]) - 128;
      rgb[i][j][0] = clip((298 * c + 409 * e + 128) >> 8);
      rgb[i][j][1] = clip((298 * c - 100 * d - 208 * e + 128) >> 8);
      rgb[i][j][2] = clip((298 * c + 516 * d + 128) >> 8);
    }
}
