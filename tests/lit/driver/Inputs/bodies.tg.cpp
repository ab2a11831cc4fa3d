// What bodies do to each other: sums that are fields of a struct.
#include <cmath>
#include <tangram/tangram.h>

struct Body {
  float x, y, z, mass;
};
struct Force {
  float x, y, z;
};

__spectrum Force pull(Body body, const Array<1, Body> all);
__codelet Force pull(Body body, const Array<1, Body> all) {
  Force sum{0, 0, 0};
  for (size_t j = 0; j < all.size(); ++j) {
    float x = all[j].x - body.x, y = all[j].y - body.y, z = all[j].z - body.z;
    float square = x * x + y * y + z * z + 0.01f, pull = all[j].mass / (square * std::sqrt(square));
    sum.x += pull * x;
    sum.y += pull * y;
    sum.z += pull * z;
  }
  return sum;
}

__spectrum void forces(const Array<1, Body> bodies, Array<1, Force> out) __requires(bodies.size() == out.size());
__codelet void forces(const Array<1, Body> bodies, Array<1, Force> out) { out = map(pull, bodies, bodies); }
