// How hot a chip gets (as in Rodinia): steps of time, in which heat flows between neighbours, from what dissipates
// power and to the surroundings. Beyond the border it is as hot as at it.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void hotspot(unsigned steps, float step, float rx, float ry, float rz, float ambient,
                        const Array<2, float> power, Array<2, float> heat)
    __requires(power.size(0) == heat.size(0) && power.size(1) == heat.size(1));

__codelet void hotspot(unsigned steps, float step, float rx, float ry, float rz, float ambient,
                       const Array<2, float> power, Array<2, float> heat) {
  int rows = heat.size(0), columns = heat.size(1);
  Array<2, float> next(rows, columns);
  for (unsigned t = 0; t < steps; ++t) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float here = heat[i][j];
        float north = heat[std::max(i - 1, 0)][j], south = heat[std::min(i + 1, rows - 1)][j];
        float west = heat[i][std::max(j - 1, 0)], east = heat[i][std::min(j + 1, columns - 1)];
        next[i][j] = here + step * (power[i][j] + (north + south - 2 * here) / ry + (west + east - 2 * here) / rx +
                                    (ambient - here) / rz);
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) heat[i][j] = next[i][j];
  }
}
