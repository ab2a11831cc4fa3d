// Cross sections by energy and material, added up over its nuclides (XSBench): a binary search for each, between
// points.
// sizes: energy=16777216 grid=355x11303 xs=355x11303x5 first=13 nuclide=408
// least: bytes 16777216*12+355*11303*24; operations 16777216*34*(14*4+20); launches 2
#include <tangram/tangram.h>

__spectrum double xslookup(const Array<1, float> energy, const Array<1, int> material, const Array<2, float> grid,
                           const Array<3, float> xs, const Array<1, int> first, const Array<1, int> nuclide,
                           const Array<1, float> density, Array<1, int> most)
    __requires(material.size() == energy.size() && most.size() == energy.size() && density.size() == nuclide.size())
        __requires(xs.size(0) == grid.size(0) && xs.size(1) == grid.size(1) && xs.size(2) == 5 && grid.size(1) > 1);

int below(const Array<1, float> &grid, float e) {
  int low = 0, high = grid.size() - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (grid[middle] > e)
      high = middle;
    else
      low = middle;
  }
  return low;
}

__codelet double xslookup(const Array<1, float> energy, const Array<1, int> material, const Array<2, float> grid,
                          const Array<3, float> xs, const Array<1, int> first, const Array<1, int> nuclide,
                          const Array<1, float> density, Array<1, int> most) {
  double check = 0;
  for (size_t i = 0; i < energy.size(); ++i) {
    float macro[5] = {0, 0, 0, 0, 0}, e = energy[i];
    for (int k = first[material[i]]; k < first[material[i] + 1]; ++k) {
      int n = nuclide[k], low = below(grid[n], e);
      float f = (e - grid[n][low]) / (grid[n][low + 1] - grid[n][low]);
      for (int c = 0; c < 5; ++c) macro[c] += density[k] * ((1 - f) * xs[n][low][c] + f * xs[n][low + 1][c]);
    }
    int best = 0;
    for (int c = 1; c < 5; ++c)
      if (macro[c] > macro[best]) best = c;
    most[i] = best;
    check += macro[best];
  }
  return check;
}
