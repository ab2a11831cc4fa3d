// PolyBench durbin: a Toeplitz system.
// sizes: r=16384
// least: bytes 16384*16384*4*2; operations 16384*16384*2; seconds 16384*4e-6
#include <tangram/tangram.h>

__spectrum void durbin(const Array<1, float> r, Array<1, float> y) __requires(y.size() == r.size() && r.size() > 0);

__codelet void durbin(const Array<1, float> r, Array<1, float> y) {
  int n = r.size();
  Array<1, float> z(n);
  y[0] = -r[0];
  float beta = 1, alpha = -r[0];
  for (int k = 1; k < n; ++k) {
    beta = (1 - alpha * alpha) * beta;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; ++i) z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; ++i) y[i] = z[i];
    y[k] = alpha;
  }
}
