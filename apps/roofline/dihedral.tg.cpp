// Molecular dynamics: energies and forces of dihedral angles, k (1 + cos(n phi - phase)), four atoms each, forces added up.
// sizes: atom=4194304 quad=16777216x4 torsion=16777216 force=4194304
// least: bytes 4194304*24+16777216*28; operations 16777216*150; launches 1
#include <cmath>
#include <tangram/tangram.h>

struct Vec3 {
  float x, y, z;
};
struct Torsion {
  float k, phase;
  int fold;
};

Vec3 operator-(const Vec3 &p, const Vec3 &q) { return {p.x - q.x, p.y - q.y, p.z - q.z}; }
Vec3 operator*(float s, const Vec3 &p) { return {s * p.x, s * p.y, s * p.z}; }
float dot(const Vec3 &p, const Vec3 &q) { return p.x * q.x + p.y * q.y + p.z * q.z; }
Vec3 cross(const Vec3 &p, const Vec3 &q) {
  return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}
void push(Vec3 &to, Vec3 f) {
  to.x += f.x;
  to.y += f.y;
  to.z += f.z;
}

__spectrum double dihedral(const Array<1, Vec3> atom, const Array<2, int> quad, const Array<1, Torsion> torsion,
                           Array<1, Vec3> force)
    __requires(force.size() == atom.size() && quad.size(0) == torsion.size() && quad.size(1) == 4);

__codelet double dihedral(const Array<1, Vec3> atom, const Array<2, int> quad, const Array<1, Torsion> torsion,
                           Array<1, Vec3> force) {
  double energy = 0;
  for (size_t i = 0; i < force.size(); ++i) force[i] = {0, 0, 0};
  for (size_t t = 0; t < torsion.size(); ++t) {
    const Torsion q = torsion[t];
    const int i = quad[t][0], j = quad[t][1], k = quad[t][2], l = quad[t][3];
    Vec3 f = atom[i] - atom[j], g = atom[j] - atom[k], h = atom[l] - atom[k];
    Vec3 a = cross(f, g), b = cross(h, g);
    float aa = dot(a, a), bb = dot(b, b), gg = dot(g, g);
    if (aa < 1e-8f || bb < 1e-8f) continue; // three atoms in a line
    float len = std::sqrt(gg);
    float phi = std::atan2(dot(cross(b, a), g) / len, dot(a, b));
    energy += q.k * (1 + std::cos(q.fold * phi - q.phase));
    float slope = -q.k * q.fold * std::sin(q.fold * phi - q.phase);
    Vec3 fa = (slope * len / aa) * a, fd = (-slope * len / bb) * b;
    float u = dot(f, g) / gg, v = dot(h, g) / gg;
    Vec3 s = (-u) * fa - v * fd;
    push(force[i], fa);
    push(force[j], s - fa);
    push(force[k], (-1.0f) * s - fd);
    push(force[l], fd);
  }
  return energy;
}
