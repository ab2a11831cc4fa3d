#include <tangram/tangram.h>
struct Body {
  float x, y, z, mass;
};
__spectrum float moment(const Array<1, Body> all);
__codelet float moment(const Array<1, Body> all) {
  float sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    Body b = all[i];
    sum += b.mass * (b.x * b.x + b.y * b.y + b.z * b.z);
  }
  return sum;
}
