// fdtd-2d of PolyBench: electric and magnetic fields in two dimensions, a step for each number of the source.
#include <tangram/tangram.h>

__spectrum void fdtd2d(const Array<1, double> source, Array<2, double> ex, Array<2, double> ey, Array<2, double> hz)
    __requires(ex.size(0) == hz.size(0) && ex.size(1) == hz.size(1))
        __requires(ey.size(0) == hz.size(0) && ey.size(1) == hz.size(1));

__codelet void fdtd2d(const Array<1, double> source, Array<2, double> ex, Array<2, double> ey, Array<2, double> hz) {
  size_t nx = hz.size(0), ny = hz.size(1);
  for (size_t t = 0; t < source.size(); ++t) {
    for (size_t j = 0; j < ny; ++j) ey[0][j] = source[t];
    for (size_t i = 1; i < nx; ++i)
      for (size_t j = 0; j < ny; ++j) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (size_t i = 0; i < nx; ++i)
      for (size_t j = 1; j < ny; ++j) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (size_t i = 0; i + 1 < nx; ++i)
      for (size_t j = 0; j + 1 < ny; ++j) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
