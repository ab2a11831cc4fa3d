// Smoothed particles (SPH): density and pressure, then forces, of particles that are sorted by the cells of a grid.
// sizes: position=2097152 start=262145 nx=64 ny=64 nz=64
// least: bytes 2097152*(16+8+16+16)*2; operations 2097152*216*40; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

struct Vec3 {
  float x, y, z;
};
Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 operator*(float s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__spectrum void sph(int nx, int ny, int nz, float h, float mass, float stiffness, float rest, float viscosity,
                    const Array<1, Vec3> position, const Array<1, Vec3> velocity, const Array<1, int> start,
                    Array<1, float> density, Array<1, Vec3> force)
    __requires(velocity.size() == position.size() && density.size() == position.size() &&
               force.size() == position.size() && nx * ny * nz + 1 == start.size() && h > 0);

__codelet void sph(int nx, int ny, int nz, float h, float mass, float stiffness, float rest, float viscosity,
                   const Array<1, Vec3> position, const Array<1, Vec3> velocity, const Array<1, int> start,
                   Array<1, float> density, Array<1, Vec3> force) {
  const float pi = 3.14159265f;
  float poly6 = 315 / (64 * pi * std::pow(h, 9.0f)), spiky = 45 / (pi * std::pow(h, 6.0f));
  for (size_t i = 0; i < position.size(); ++i) {
    Vec3 p = position[i];
    int cx = std::clamp(int(p.x / h), 0, nx - 1), cy = std::clamp(int(p.y / h), 0, ny - 1),
        cz = std::clamp(int(p.z / h), 0, nz - 1);
    float sum = 0;
    for (int z = std::max(cz - 1, 0); z <= std::min(cz + 1, nz - 1); ++z)
      for (int y = std::max(cy - 1, 0); y <= std::min(cy + 1, ny - 1); ++y)
        for (int x = std::max(cx - 1, 0); x <= std::min(cx + 1, nx - 1); ++x) {
          int cell = (z * ny + y) * nx + x;
          for (int j = start[cell]; j < start[cell + 1]; ++j) {
            Vec3 d = p - position[j];
            float r2 = dot(d, d);
            if (r2 < h * h) sum += (h * h - r2) * (h * h - r2) * (h * h - r2);
          }
        }
    density[i] = mass * poly6 * sum;
  }
  for (size_t i = 0; i < position.size(); ++i) {
    Vec3 p = position[i], f{0, 0, 0};
    float pressure = stiffness * (density[i] - rest);
    int cx = std::clamp(int(p.x / h), 0, nx - 1), cy = std::clamp(int(p.y / h), 0, ny - 1),
        cz = std::clamp(int(p.z / h), 0, nz - 1);
    for (int z = std::max(cz - 1, 0); z <= std::min(cz + 1, nz - 1); ++z)
      for (int y = std::max(cy - 1, 0); y <= std::min(cy + 1, ny - 1); ++y)
        for (int x = std::max(cx - 1, 0); x <= std::min(cx + 1, nx - 1); ++x) {
          int cell = (z * ny + y) * nx + x;
          for (int j = start[cell]; j < start[cell + 1]; ++j) {
            if (j == int(i)) continue;
            Vec3 d = p - position[j];
            float r = std::sqrt(dot(d, d));
            if (r >= h || r == 0) continue;
            float other = stiffness * (density[j] - rest);
            float push = mass * (pressure + other) / (2 * density[j]) * spiky * (h - r) * (h - r) / r;
            float drag = viscosity * mass / density[j] * spiky * (h - r);
            f = f + push * d + drag * (velocity[j] - velocity[i]);
          }
        }
    force[i] = f;
  }
}
