// LAMB over layers of one buffer: moments, the ratio of norms by layer, the step.
// sizes: w=67108864 start=257
// least: bytes 67108864*4*7; operations 67108864*20; launches 2
#include <cmath>
#include <tangram/tangram.h>

__spectrum void lamb(float rate, float b1, float b2, float decay, const Array<1, unsigned> start,
                     const Array<1, float> grad, Array<1, float> w, Array<1, float> m, Array<1, float> v)
    __requires(grad.size() == w.size() && m.size() == w.size() && v.size() == w.size() && start.size() > 0);

__codelet void lamb(float rate, float b1, float b2, float decay, const Array<1, unsigned> start,
                    const Array<1, float> grad, Array<1, float> w, Array<1, float> m, Array<1, float> v) {
  Array<1, float> u(w.size());
  for (size_t l = 0; l + 1 < start.size(); ++l) {
    float wn = 0, un = 0;
    for (unsigned i = start[l]; i < start[l + 1]; ++i) {
      m[i] = b1 * m[i] + (1 - b1) * grad[i];
      v[i] = b2 * v[i] + (1 - b2) * grad[i] * grad[i];
      u[i] = m[i] / (std::sqrt(std::abs(v[i])) + 1e-6f) + decay * w[i];
      wn += w[i] * w[i];
      un += u[i] * u[i];
    }
    float ratio = wn > 0 && un > 0 ? std::sqrt(wn / un) : 1;
    for (unsigned i = start[l]; i < start[l + 1]; ++i) w[i] -= rate * ratio * u[i];
  }
}
