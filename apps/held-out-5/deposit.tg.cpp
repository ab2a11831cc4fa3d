// Charges of particles on the four points of the mesh around each (cloud in cell), which is periodic. Places are parts
// of the box.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void deposit(const Array<1, float> x, const Array<1, float> y, const Array<1, float> charge,
                        Array<2, float> density) __requires(y.size() == x.size() && charge.size() == x.size())
    __requires(density.size(0) > 0 && density.size(1) > 0);

int wrap(int i, int n) { return (i % n + n) % n; }

__codelet void deposit(const Array<1, float> x, const Array<1, float> y, const Array<1, float> charge,
                       Array<2, float> density) {
  int rows = density.size(0), columns = density.size(1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) density[i][j] = 0;
  for (size_t p = 0; p < x.size(); ++p) {
    float px = x[p] * columns, py = y[p] * rows;
    float left = std::floor(px), top = std::floor(py);
    float fx = px - left, fy = py - top;
    int j0 = wrap(int(left), columns), j1 = wrap(j0 + 1, columns);
    int i0 = wrap(int(top), rows), i1 = wrap(i0 + 1, rows);
    density[i0][j0] += charge[p] * (1 - fx) * (1 - fy);
    density[i0][j1] += charge[p] * fx * (1 - fy);
    density[i1][j0] += charge[p] * (1 - fx) * fy;
    density[i1][j1] += charge[p] * fx * fy;
  }
}
