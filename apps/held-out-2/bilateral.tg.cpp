// A bilateral filter of 9 x 9 pixels: neighbours weigh more the nearer and the more alike they are. Beyond the edges of
// the picture are the pixels of the edge.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void bilateral(float near, float alike, const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void bilateral(float near, float alike, const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      float sum = 0, weights = 0;
      for (int di = -4; di <= 4; ++di)
        for (int dj = -4; dj <= 4; ++dj) {
          float other = in[std::clamp(i + di, 0, height - 1)][std::clamp(j + dj, 0, width - 1)];
          float difference = other - in[i][j];
          float weight =
              std::exp(-(di * di + dj * dj) / (2 * near * near) - difference * difference / (2 * alike * alike));
          sum += weight * other;
          weights += weight;
        }
      out[i][j] = sum / weights;
    }
}
