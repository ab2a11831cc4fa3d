// Particle in cell: charged particles pushed by Boris' rotation in fields gathered from a periodic grid.
// sizes: px=33554432 py=33554432 pz=33554432 vx=33554432 vy=33554432 vz=33554432 grid=2097152 side=128
// least: bytes 33554432*48+2097152*24; operations 33554432*200; launches 1
#include <cmath>
#include <tangram/tangram.h>

struct Field {
  float ex, ey, ez, bx, by, bz;
};

__spectrum void boris(int side, float dt, float qm, const Array<1, Field> grid, Array<1, float> px, Array<1, float> py,
                      Array<1, float> pz, Array<1, float> vx, Array<1, float> vy, Array<1, float> vz)
    __requires(grid.size() == side * side * side && py.size() == px.size() && pz.size() == px.size() &&
               vx.size() == px.size() && vy.size() == px.size() && vz.size() == px.size());

__codelet void boris(int side, float dt, float qm, const Array<1, Field> grid, Array<1, float> px, Array<1, float> py,
                     Array<1, float> pz, Array<1, float> vx, Array<1, float> vy, Array<1, float> vz) {
  for (size_t p = 0; p < px.size(); p++) {
    float x = px[p], y = py[p], z = pz[p];
    int i = (int)std::floor(x), j = (int)std::floor(y), k = (int)std::floor(z);
    float a = x - i, b = y - j, c = z - k;
    Field f{0, 0, 0, 0, 0, 0};
    for (int dk = 0; dk < 2; dk++)
      for (int dj = 0; dj < 2; dj++)
        for (int di = 0; di < 2; di++) {
          float w = (di ? a : 1 - a) * (dj ? b : 1 - b) * (dk ? c : 1 - c);
          int cell = ((k + dk + side) % side * side + (j + dj + side) % side) * side + (i + di + side) % side;
          Field at = grid[cell];
          f.ex += w * at.ex, f.ey += w * at.ey, f.ez += w * at.ez;
          f.bx += w * at.bx, f.by += w * at.by, f.bz += w * at.bz;
        }
    float h = 0.5f * qm * dt;
    float ux = vx[p] + h * f.ex, uy = vy[p] + h * f.ey, uz = vz[p] + h * f.ez; // half a kick
    float tx = h * f.bx, ty = h * f.by, tz = h * f.bz, s = 2 / (1 + tx * tx + ty * ty + tz * tz);
    float wx = ux + uy * tz - uz * ty, wy = uy + uz * tx - ux * tz, wz = uz + ux * ty - uy * tx;
    ux += s * (wy * tz - wz * ty), uy += s * (wz * tx - wx * tz), uz += s * (wx * ty - wy * tx);
    vx[p] = ux + h * f.ex, vy[p] = uy + h * f.ey, vz[p] = uz + h * f.ez;
    x += dt * vx[p], y += dt * vy[p], z += dt * vz[p];
    if (x < 0) x += side; else if (x >= side) x -= side;
    if (y < 0) y += side; else if (y >= side) y -= side;
    if (z < 0) z += side; else if (z >= side) z -= side;
    px[p] = x, py[p] = y, pz[p] = z;
  }
}
