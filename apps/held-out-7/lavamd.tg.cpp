// Particles in boxes (as in Rodinia's lavaMD): potentials and forces between those of a box and those of the same box and
// of its neighbours, which are listed. A particle is a number v and a place; of each, a potential and a force come out.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void lavamd(float alpha, const Array<1, unsigned> count, const Array<2, unsigned> neighbour,
                       const Array<3, float> particle, const Array<2, float> charge, Array<3, float> force)
    __requires(count.size() == particle.size(0) && neighbour.size(0) == particle.size(0) && particle.size(2) == 4)
        __requires(charge.size(0) == particle.size(0) && charge.size(1) == particle.size(1))
            __requires(force.size(0) == particle.size(0) && force.size(1) == particle.size(1) && force.size(2) == 4);

__codelet void lavamd(float alpha, const Array<1, unsigned> count, const Array<2, unsigned> neighbour,
                      const Array<3, float> particle, const Array<2, float> charge, Array<3, float> force) {
  float a2 = 2 * alpha * alpha;
  for (size_t box = 0; box < particle.size(0); ++box) {
    for (size_t i = 0; i < particle.size(1); ++i)
      for (int c = 0; c < 4; ++c) force[box][i][c] = 0;
    for (unsigned n = 0; n <= count[box]; ++n) {
      size_t other = n == 0 ? box : neighbour[box][n - 1];
      for (size_t i = 0; i < particle.size(1); ++i)
        for (size_t j = 0; j < particle.size(1); ++j) {
          float r2 = particle[box][i][0] + particle[other][j][0] - (particle[box][i][1] * particle[other][j][1] +
                                                                    particle[box][i][2] * particle[other][j][2] +
                                                                    particle[box][i][3] * particle[other][j][3]);
          float v = std::exp(-a2 * r2), f = 2 * v;
          float dx = particle[box][i][1] - particle[other][j][1];
          float dy = particle[box][i][2] - particle[other][j][2];
          float dz = particle[box][i][3] - particle[other][j][3];
          force[box][i][0] += charge[other][j] * v;
          force[box][i][1] += charge[other][j] * f * dx;
          force[box][i][2] += charge[other][j] * f * dy;
          force[box][i][3] += charge[other][j] * f * dz;
        }
    }
  }
}
