// Parboil cutcp: the potential of atoms within a cutoff on a grid, atom by atom.
// sizes: ax=100000 grid=208x208x208
// least: bytes 208**3*8+100000*16; operations 100000*24**3*10
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void cutcp(float spacing, float cutoff, const Array<1, float> ax, const Array<1, float> ay,
                      const Array<1, float> az, const Array<1, float> charge, Array<3, float> grid)
    __requires(ay.size() == ax.size() && az.size() == ax.size() && charge.size() == ax.size() && spacing > 0 &&
               cutoff > 0);

__codelet void cutcp(float spacing, float cutoff, const Array<1, float> ax, const Array<1, float> ay,
                     const Array<1, float> az, const Array<1, float> charge, Array<3, float> grid) {
  int nz = grid.size(0), ny = grid.size(1), nx = grid.size(2);
  for (size_t a = 0; a < ax.size(); ++a) {
    int x0 = std::max(0, int((ax[a] - cutoff) / spacing)), x1 = std::min(nx - 1, int((ax[a] + cutoff) / spacing));
    int y0 = std::max(0, int((ay[a] - cutoff) / spacing)), y1 = std::min(ny - 1, int((ay[a] + cutoff) / spacing));
    int z0 = std::max(0, int((az[a] - cutoff) / spacing)), z1 = std::min(nz - 1, int((az[a] + cutoff) / spacing));
    for (int k = z0; k <= z1; ++k)
      for (int j = y0; j <= y1; ++j)
        for (int i = x0; i <= x1; ++i) {
          float dx = i * spacing - ax[a], dy = j * spacing - ay[a], dz = k * spacing - az[a];
          float r2 = dx * dx + dy * dy + dz * dz;
          if (r2 >= cutoff * cutoff) continue;
          float s = 1 - r2 / (cutoff * cutoff);
          grid[k][j][i] += charge[a] / std::sqrt(r2 + 1e-6f) * s * s;
        }
  }
}
