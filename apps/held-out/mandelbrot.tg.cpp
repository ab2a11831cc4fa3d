// After how many steps of z = z z + c a point c is known to leave the Mandelbrot set; at most `limit`.
#include <tangram/tangram.h>

__spectrum void mandelbrot(float left, float top, float step, int limit, Array<2, int> count);

__codelet void mandelbrot(float left, float top, float step, int limit, Array<2, int> count) {
  for (size_t i = 0; i < count.size(0); ++i)
    for (size_t j = 0; j < count.size(1); ++j) {
      float cx = left + j * step, cy = top + i * step;
      float x = 0, y = 0;
      int n = 0;
      while (n < limit && x * x + y * y <= 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++n;
      }
      count[i][j] = n;
    }
}
