// Parboil tpacf: a histogram of the angles between all pairs of points on the sky.
// sizes: x=32768 bound=20 bins=21
// least: bytes 32768*12; operations 32768*32768/2*8; launches 2
#include <tangram/tangram.h>

__spectrum void tpacf(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                      const Array<1, float> bound, Array<1, unsigned> bins)
    __requires(y.size() == x.size() && z.size() == x.size() && bins.size() == bound.size() + 1);

__codelet void tpacf(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                     const Array<1, float> bound, Array<1, unsigned> bins) {
  int n = x.size(), nb = bound.size();
  for (int b = 0; b <= nb; ++b) bins[b] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      float dot = x[i] * x[j] + y[i] * y[j] + z[i] * z[j];
      int low = 0, high = nb;
      while (low < high) {
        int k = (low + high) / 2;
        if (dot >= bound[k])
          high = k;
        else
          low = k + 1;
      }
      bins[low] += 1;
    }
}
