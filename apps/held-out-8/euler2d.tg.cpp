// A gas in two dimensions by finite volumes: Euler's equations for density, momentum and energy in steps of time, with
// Rusanov's fluxes between cells. Nothing changes across the border.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void euler2d(int steps, double ratio, Array<2, double> density, Array<2, double> across,
                        Array<2, double> down, Array<2, double> energy)
    __requires(across.size(0) == density.size(0) && across.size(1) == density.size(1))
        __requires(down.size(0) == density.size(0) && down.size(1) == density.size(1))
            __requires(energy.size(0) == density.size(0) && energy.size(1) == density.size(1));

struct State {
  double density, along, beside, energy; // momentum along the way to the next cell, and beside it
};

double pressure(State s) { return 0.4 * (s.energy - 0.5 * (s.along * s.along + s.beside * s.beside) / s.density); }

// What flows from a cell to the next one.
State flux(State a, State b) {
  double pa = pressure(a), pb = pressure(b), ua = a.along / a.density, ub = b.along / b.density;
  double speed =
      std::max(std::abs(ua) + std::sqrt(1.4 * pa / a.density), std::abs(ub) + std::sqrt(1.4 * pb / b.density));
  return {0.5 * (a.along + b.along - speed * (b.density - a.density)),
          0.5 * (a.along * ua + pa + b.along * ub + pb - speed * (b.along - a.along)),
          0.5 * (a.beside * ua + b.beside * ub - speed * (b.beside - a.beside)),
          0.5 * ((a.energy + pa) * ua + (b.energy + pb) * ub - speed * (b.energy - a.energy))};
}

__codelet void euler2d(int steps, double ratio, Array<2, double> density, Array<2, double> across,
                       Array<2, double> down, Array<2, double> energy) {
  int rows = density.size(0), columns = density.size(1);
  Array<2, double> d(rows, columns), x(rows, columns), y(rows, columns), e(rows, columns);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int w = std::max(j - 1, 0), o = std::min(j + 1, columns - 1);
        int n = std::max(i - 1, 0), s = std::min(i + 1, rows - 1);
        State here{density[i][j], across[i][j], down[i][j], energy[i][j]};
        State in = flux({density[i][w], across[i][w], down[i][w], energy[i][w]}, here);
        State out = flux(here, {density[i][o], across[i][o], down[i][o], energy[i][o]});
        State turned{density[i][j], down[i][j], across[i][j], energy[i][j]};
        State above = flux({density[n][j], down[n][j], across[n][j], energy[n][j]}, turned);
        State below = flux(turned, {density[s][j], down[s][j], across[s][j], energy[s][j]});
        d[i][j] = here.density - ratio * (out.density - in.density + below.density - above.density);
        x[i][j] = here.along - ratio * (out.along - in.along + below.beside - above.beside);
        y[i][j] = here.beside - ratio * (out.beside - in.beside + below.along - above.along);
        e[i][j] = here.energy - ratio * (out.energy - in.energy + below.energy - above.energy);
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        density[i][j] = d[i][j];
        across[i][j] = x[i][j];
        down[i][j] = y[i][j];
        energy[i][j] = e[i][j];
      }
  }
}
