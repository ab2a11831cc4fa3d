// Elements that all turns of a loop read, and such that they do not.
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

__spectrum void changed(Array<2, float> a, const Array<2, float> b, const Array<1, int> when)
    __requires(a.size(1) == 4 && b.size(0) == a.size(0) && b.size(1) == 4 && when.size() == a.size(0));

__codelet void changed(Array<2, float> a, const Array<2, float> b, const Array<1, int> when) {
  for (size_t i = 0; i < a.size(0); ++i)
    for (size_t turn = 0; turn < when.size(); ++turn)
      for (size_t d = 0; d < 4; ++d) {
        a[i][d] = a[i][d] * 0.5f + 1;
        if (when[turn] > 0) a[i][d] += b[i][d];
      }
}
