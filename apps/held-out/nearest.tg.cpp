// Which of the centers is nearest to each point, in 16 dimensions; of equally near ones, the first.
#include <limits>
#include <tangram/tangram.h>

__spectrum void nearest(const Array<2, float> points, const Array<2, float> centers, Array<1, int> out)
    __requires(points.size(0) == out.size() && points.size(1) == 16 && centers.size(1) == 16);

__codelet void nearest(const Array<2, float> points, const Array<2, float> centers, Array<1, int> out) {
  for (size_t i = 0; i < points.size(0); ++i) {
    float least = std::numeric_limits<float>::infinity();
    int at = 0;
    for (size_t c = 0; c < centers.size(0); ++c) {
      float distance = 0;
      for (size_t d = 0; d < 16; ++d) {
        float difference = points[i][d] - centers[c][d];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        at = c;
      }
    }
    out[i] = at;
  }
}
