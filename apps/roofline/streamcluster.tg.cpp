// Rodinia streamcluster, the gain of opening a center at point x.
// sizes: point=1048576x32
// least: bytes 1048576*32*4+1048576*12; operations 1048576*32*3; launches 3
#include <tangram/tangram.h>

__spectrum float pgain(unsigned x, float opening, const Array<2, float> point, const Array<1, float> weight,
                       const Array<1, unsigned> assign, Array<1, float> cost, Array<1, float> lower,
                       Array<1, unsigned> switched)
    __requires(weight.size() == point.size(0) && assign.size() == point.size(0) && cost.size() == point.size(0))
        __requires(lower.size() == point.size(0) && switched.size() == point.size(0) && x < point.size(0));

__codelet float pgain(unsigned x, float opening, const Array<2, float> point, const Array<1, float> weight,
                      const Array<1, unsigned> assign, Array<1, float> cost, Array<1, float> lower,
                      Array<1, unsigned> switched) {
  size_t n = point.size(0), dim = point.size(1);
  float gain = -opening;
  for (size_t i = 0; i < n; ++i) lower[i] = 0;
  for (size_t i = 0; i < n; ++i) {
    float d = 0;
    for (size_t k = 0; k < dim; ++k) d += (point[i][k] - point[x][k]) * (point[i][k] - point[x][k]);
    d *= weight[i];
    if (d < cost[i]) {
      switched[i] = 1;
      gain += cost[i] - d;
    } else {
      switched[i] = 0;
      lower[assign[i]] += d - cost[i];
    }
  }
  return gain;
}
