// A point that all turns of a loop read.
#include <tangram/tangram.h>

__spectrum void nearest(const Array<2, float> points, const Array<2, float> centers, Array<1, float> out)
    __requires(points.size(0) == out.size() && points.size(1) == 4 && centers.size(1) == 4);

__codelet void nearest(const Array<2, float> points, const Array<2, float> centers, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float least = 1e30f;
    for (size_t c = 0; c < centers.size(0); ++c) {
      float distance = 0;
      for (int d = 0; d <= 3; ++d) {
        float difference = points[i][d] - centers[c][d];
        distance += difference * difference;
      }
      if (distance < least) least = distance;
    }
    out[i] = least;
  }
}
