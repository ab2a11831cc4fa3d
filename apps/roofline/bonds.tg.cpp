// Molecular dynamics: forces of bonds, added up at both ends, and the energy.
// sizes: first=8388608 x=4194304x3
// least: bytes 8388608*16+4194304*3*4*3; operations 8388608*30; launches 2
#include <cmath>
#include <tangram/tangram.h>

__spectrum double bonds(const Array<1, unsigned> first, const Array<1, unsigned> second, const Array<1, float> k,
                        const Array<1, float> r0, const Array<2, float> x, Array<2, float> force)
    __requires(second.size() == first.size() && k.size() == first.size() && r0.size() == first.size() && x.size(1) == 3)
        __requires(force.size(0) == x.size(0) && force.size(1) == 3);

__codelet double bonds(const Array<1, unsigned> first, const Array<1, unsigned> second, const Array<1, float> k,
                       const Array<1, float> r0, const Array<2, float> x, Array<2, float> force) {
  double energy = 0;
  for (size_t i = 0; i < x.size(0); ++i) force[i][0] = force[i][1] = force[i][2] = 0;
  for (size_t b = 0; b < first.size(); ++b) {
    unsigned i = first[b], j = second[b];
    float dx = x[i][0] - x[j][0], dy = x[i][1] - x[j][1], dz = x[i][2] - x[j][2];
    float r = std::sqrt(dx * dx + dy * dy + dz * dz + 1e-12f), stretch = r - r0[b], f = -2 * k[b] * stretch / r;
    energy += k[b] * stretch * stretch;
    force[i][0] += f * dx;
    force[i][1] += f * dy;
    force[i][2] += f * dz;
    force[j][0] -= f * dx;
    force[j][1] -= f * dy;
    force[j][2] -= f * dz;
  }
  return energy;
}
