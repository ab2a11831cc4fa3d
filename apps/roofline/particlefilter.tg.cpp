// Rodinia particlefilter: likelihoods, weights, their cumulated sums, an estimate, systematic resampling.
// sizes: x=1048576 frame=1024x1024 offx=64
// least: bytes 1048576*4*8; operations 1048576*64*8; launches 7
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

struct Place {
  float x, y;
};
__spectrum Place particlefilter(float u0, const Array<2, unsigned char> frame, const Array<1, int> offx,
                                const Array<1, int> offy, Array<1, float> x, Array<1, float> y, Array<1, float> weight)
    __requires(offx.size() == offy.size() && y.size() == x.size() && weight.size() == x.size() && frame.size() > 0);

__codelet Place particlefilter(float u0, const Array<2, unsigned char> frame, const Array<1, int> offx,
                               const Array<1, int> offy, Array<1, float> x, Array<1, float> y, Array<1, float> weight) {
  int n = x.size(), count = offx.size(), rows = frame.size(0), columns = frame.size(1);
  Array<1, float> cdf(n), nx(n), ny(n);
  float total = 0;
  for (int p = 0; p < n; ++p) {
    float likelihood = 0;
    for (int k = 0; k < count; ++k) {
      int r = std::clamp(int(y[p]) + offy[k], 0, rows - 1), c = std::clamp(int(x[p]) + offx[k], 0, columns - 1);
      float v = frame[r][c];
      likelihood += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50.0f;
    }
    weight[p] = weight[p] * std::exp(likelihood / std::max(count, 1) / 1000);
    total += weight[p];
  }
  Place estimate{0, 0};
  for (int p = 0; p < n; ++p) {
    weight[p] /= total;
    estimate.x += x[p] * weight[p];
    estimate.y += y[p] * weight[p];
  }
  float sum = 0;
  for (int p = 0; p < n; ++p) {
    sum += weight[p];
    cdf[p] = sum;
  }
  for (int p = 0; p < n; ++p) {
    float u = (u0 + p) / n;
    int low = 0, high = n - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (cdf[middle] < u)
        low = middle + 1;
      else
        high = middle;
    }
    nx[p] = x[low];
    ny[p] = y[low];
  }
  for (int p = 0; p < n; ++p) {
    x[p] = nx[p];
    y[p] = ny[p];
    weight[p] = 1.0f / n;
  }
  return estimate;
}
