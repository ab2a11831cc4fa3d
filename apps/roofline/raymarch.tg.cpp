// Spheres lit by one light, seen through a pinhole: the nearest hit and a shadow ray for each pixel.
// sizes: sphere=64x4 out=2160x3840
// least: bytes 2160*3840*4; operations 2160*3840*64*2*15
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

struct Vec {
  float x, y, z;
  Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(const Vec &o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(float s) const { return {x * s, y * s, z * s}; }
  float dot(const Vec &o) const { return x * o.x + y * o.y + z * o.z; }
};
__spectrum void raymarch(const Array<2, float> sphere, Array<2, float> out) __requires(sphere.size(1) == 4);

__codelet void raymarch(const Array<2, float> sphere, Array<2, float> out) {
  int h = out.size(0), w = out.size(1), n = sphere.size(0);
  Vec light{0.577f, 0.577f, -0.577f};
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      Vec d{(x - 0.5f * w) / h, (y - 0.5f * h) / h, 1};
      d = d * (1 / std::sqrt(d.dot(d)));
      float nearest = 1e30f;
      int hit = -1;
      for (int s = 0; s < n; ++s) {
        Vec c{sphere[s][0], sphere[s][1], sphere[s][2] + 5};
        float b = c.dot(d), q = b * b - c.dot(c) + sphere[s][3] * sphere[s][3];
        if (q < 0) continue;
        float t = b - std::sqrt(q);
        if (t > 0 && t < nearest) {
          nearest = t;
          hit = s;
        }
      }
      if (hit < 0) {
        out[y][x] = 0;
        continue;
      }
      Vec p = d * nearest, normal = p - Vec{sphere[hit][0], sphere[hit][1], sphere[hit][2] + 5};
      bool shadow = false;
      for (int s = 0; s < n; ++s) {
        if (s == hit) continue;
        Vec c = Vec{sphere[s][0], sphere[s][1], sphere[s][2] + 5} - p;
        float b = c.dot(light);
        if (b > 0 && b * b - c.dot(c) + sphere[s][3] * sphere[s][3] > 0) {
          shadow = true;
          break;
        }
      }
      out[y][x] = shadow ? 0.1f : 0.1f + std::max(0.0f, normal.dot(light) / std::sqrt(normal.dot(normal)));
    }
}
