// Parboil mri-gridding: samples spread on a grid with a kernel of finite width.
// sizes: kx=2097152 grid=256x256x256 weight=256x256x256
// least: bytes 2097152*16+256**3*16; operations 2097152*64*10; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void gridding(float width, const Array<1, float> kx, const Array<1, float> ky, const Array<1, float> kz,
                         const Array<1, float> real, Array<3, float> grid, Array<3, float> weight)
    __requires(ky.size() == kx.size() && kz.size() == kx.size() && real.size() == kx.size() && width > 0 && width < 4)
        __requires(weight.size(0) == grid.size(0) && weight.size(1) == grid.size(1) && weight.size(2) == grid.size(2));

__codelet void gridding(float width, const Array<1, float> kx, const Array<1, float> ky, const Array<1, float> kz,
                        const Array<1, float> real, Array<3, float> grid, Array<3, float> weight) {
  int nz = grid.size(0), ny = grid.size(1), nx = grid.size(2);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        grid[z][y][x] = 0;
        weight[z][y][x] = 0;
      }
  for (size_t s = 0; s < kx.size(); ++s) {
    int x0 = std::ceil(kx[s] - width / 2), y0 = std::ceil(ky[s] - width / 2), z0 = std::ceil(kz[s] - width / 2);
    for (int z = std::max(z0, 0); z <= kz[s] + width / 2 && z < nz; ++z)
      for (int y = std::max(y0, 0); y <= ky[s] + width / 2 && y < ny; ++y)
        for (int x = std::max(x0, 0); x <= kx[s] + width / 2 && x < nx; ++x) {
          float d = (x - kx[s]) * (x - kx[s]) + (y - ky[s]) * (y - ky[s]) + (z - kz[s]) * (z - kz[s]);
          float k = std::max(0.0f, 1 - 4 * d / (width * width));
          grid[z][y][x] += k * real[s];
          weight[z][y][x] += k;
        }
  }
}
