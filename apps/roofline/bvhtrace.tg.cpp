// Rays against a hierarchy of boxes, a complete binary tree in heap order: the nearest leaf's box that each ray enters.
// sizes: ray=8388608 node=1048575 hit=8388608 distance=8388608
// least: bytes 8388608*32+1048575*24; operations 8388608*60*25; launches 1
#include <algorithm>
#include <limits>
#include <tangram/tangram.h>

struct Ray {
  float ox, oy, oz, dx, dy, dz;
};
struct Box {
  float lox, loy, loz, hix, hiy, hiz;
};

float enter(Box b, Ray r) {
  float x0 = (b.lox - r.ox) / r.dx, x1 = (b.hix - r.ox) / r.dx;
  float y0 = (b.loy - r.oy) / r.dy, y1 = (b.hiy - r.oy) / r.dy;
  float z0 = (b.loz - r.oz) / r.dz, z1 = (b.hiz - r.oz) / r.dz;
  float near = std::max(std::max(std::min(x0, x1), std::min(y0, y1)), std::max(std::min(z0, z1), 0.0f));
  float far = std::min(std::min(std::max(x0, x1), std::max(y0, y1)), std::max(z0, z1));
  return near <= far ? near : std::numeric_limits<float>::infinity();
}

__spectrum void bvhtrace(const Array<1, Ray> ray, const Array<1, Box> node, Array<1, int> hit, Array<1, float> distance)
    __requires(hit.size() == ray.size() && distance.size() == ray.size());

__codelet void bvhtrace(const Array<1, Ray> ray, const Array<1, Box> node, Array<1, int> hit, Array<1, float> distance) {
  int nodes = node.size();
  for (size_t i = 0; i < ray.size(); i++) {
    int stack[32], top = 0, found = -1;
    float nearest = std::numeric_limits<float>::infinity();
    Ray r = ray[i];
    stack[top++] = 0;
    while (top > 0) {
      int n = stack[--top];
      float t = enter(node[n], r);
      if (t >= nearest) continue;
      if (2 * n + 1 >= nodes) {
        nearest = t;
        found = n;
        continue;
      }
      stack[top++] = 2 * n + 2;
      stack[top++] = 2 * n + 1;
    }
    hit[i] = found;
    distance[i] = nearest;
  }
}
