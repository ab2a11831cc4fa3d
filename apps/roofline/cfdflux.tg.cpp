// Rodinia cfd: fluxes of an unstructured mesh, four neighbours a cell; a negative one is a border.
// sizes: density=2097152 neighbour=2097152x4
// least: bytes 2097152*4*(5+5+4+12); operations 2097152*4*100
#include <cmath>
#include <tangram/tangram.h>

__spectrum void cfdflux(const Array<2, int> neighbour, const Array<3, float> normal, const Array<1, float> density,
                        const Array<2, float> momentum, const Array<1, float> energy, Array<2, float> flux)
    __requires(neighbour.size(0) == density.size() && neighbour.size(1) == 4 && normal.size(0) == density.size())
        __requires(normal.size(1) == 4 && normal.size(2) == 3 && momentum.size(0) == density.size() &&
                   momentum.size(1) == 3)
            __requires(energy.size() == density.size() && flux.size(0) == density.size() && flux.size(1) == 5);

__codelet void cfdflux(const Array<2, int> neighbour, const Array<3, float> normal, const Array<1, float> density,
                       const Array<2, float> momentum, const Array<1, float> energy, Array<2, float> flux) {
  for (size_t i = 0; i < density.size(); ++i) {
    float d = density[i], vx = momentum[i][0] / d, vy = momentum[i][1] / d, vz = momentum[i][2] / d, e = energy[i];
    float speed2 = vx * vx + vy * vy + vz * vz, p = 0.4f * (e - 0.5f * d * speed2);
    float c = std::sqrt(1.4f * std::abs(p / d));
    float f[5] = {0, 0, 0, 0, 0};
    for (int k = 0; k < 4; ++k) {
      int j = neighbour[i][k];
      float nx = normal[i][k][0], ny = normal[i][k][1], nz = normal[i][k][2];
      if (j >= 0) {
        float dn = density[j], ux = momentum[j][0] / dn, uy = momentum[j][1] / dn, uz = momentum[j][2] / dn;
        float s2 = ux * ux + uy * uy + uz * uz, pn = 0.4f * (energy[j] - 0.5f * dn * s2);
        float cn = std::sqrt(1.4f * std::abs(pn / dn));
        float area = std::sqrt(nx * nx + ny * ny + nz * nz);
        float factor = 0.5f * area * 0.2f * (std::sqrt(speed2) + std::sqrt(s2) + c + cn);
        float un = ux * nx + uy * ny + uz * nz, vn = vx * nx + vy * ny + vz * nz;
        f[0] += factor * (dn - d) - 0.5f * (dn * un + d * vn);
        f[1] += factor * (momentum[j][0] - momentum[i][0]) -
                0.5f * (momentum[j][0] * un + momentum[i][0] * vn + (p + pn) * nx);
        f[2] += factor * (momentum[j][1] - momentum[i][1]) -
                0.5f * (momentum[j][1] * un + momentum[i][1] * vn + (p + pn) * ny);
        f[3] += factor * (momentum[j][2] - momentum[i][2]) -
                0.5f * (momentum[j][2] * un + momentum[i][2] * vn + (p + pn) * nz);
        f[4] += factor * (energy[j] - e) - 0.5f * ((energy[j] + pn) * un + (e + p) * vn);
      } else {
        f[1] += nx * p;
        f[2] += ny * p;
        f[3] += nz * p;
      }
    }
    for (int v = 0; v < 5; ++v) flux[i][v] = f[v];
  }
}
