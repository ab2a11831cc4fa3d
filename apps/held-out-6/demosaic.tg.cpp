// A picture of a sensor, whose points see red, green or blue alone (Bayer's RGGB), in full color: what is missing is
// the mean of neighbours that have it. Beyond the border the picture is mirrored.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void demosaic(const Array<2, uint8_t> in, Array<3, uint8_t> rgb) __requires(in.size(0) > 1 && in.size(1) > 1)
    __requires(rgb.size(0) == in.size(0) && rgb.size(1) == in.size(1) && rgb.size(2) == 3);

__codelet void demosaic(const Array<2, uint8_t> in, Array<3, uint8_t> rgb) {
  int height = in.size(0), width = in.size(1);
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      int up = i > 0 ? i - 1 : 1, down = i + 1 < height ? i + 1 : height - 2;
      int left = j > 0 ? j - 1 : 1, right = j + 1 < width ? j + 1 : width - 2;
      int own = in[i][j];
      int beside = (in[i][left] + in[i][right] + 1) / 2, above = (in[up][j] + in[down][j] + 1) / 2;
      int cross = (in[i][left] + in[i][right] + in[up][j] + in[down][j] + 2) / 4;
      int corners = (in[up][left] + in[up][right] + in[down][left] + in[down][right] + 2) / 4;
      int r, g, b;
      if (i % 2 == 0 && j % 2 == 0) {
        r = own;
        g = cross;
        b = corners;
      } else if (i % 2 == 0) {
        r = beside;
        g = own;
        b = above;
      } else if (j % 2 == 0) {
        r = above;
        g = own;
        b = beside;
      } else {
        r = corners;
        g = cross;
        b = own;
      }
      rgb[i][j][0] = r;
      rgb[i][j][1] = g;
      rgb[i][j][2] = b;
    }
}
