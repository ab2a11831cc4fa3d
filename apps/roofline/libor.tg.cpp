// A portfolio of swaptions by Monte Carlo in the LIBOR market model: 80 rates, 40 steps of time, 15 options.
// sizes: z=40x1048576 volatility=80
// least: bytes 40*1048576*4; operations 1048576*40*60*8; launches 2
#include <cmath>
#include <tangram/tangram.h>

const int rates = 80, steps = 40, options = 15;
const float delta = 0.25f;
const int maturity[options] = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40};
const float swaprate[options] = {.045f, .05f,  .055f, .045f, .05f,  .055f, .045f, .05f,
                                 .055f, .045f, .05f,  .055f, .045f, .05f,  .055f};

__spectrum double libor(const Array<2, float> z, const Array<1, float> volatility, const Array<1, float> initial)
    __requires(z.size(0) == 40 && z.size(1) > 0 && volatility.size() == 80 && initial.size() == 80);

__codelet double libor(const Array<2, float> z, const Array<1, float> volatility, const Array<1, float> initial) {
  double total = 0;
  int paths = z.size(1);
  for (int path = 0; path < paths; ++path) {
    float l[rates];
    for (int i = 0; i < rates; ++i) l[i] = initial[i];
    for (int n = 0; n < steps; ++n) {
      float root = std::sqrt(delta) * z[n][path], v = 0;
      for (int i = n + 1; i < rates; ++i) {
        float lambda = volatility[i - n - 1], c = delta * lambda;
        v += c * l[i] / (1 + delta * l[i]);
        l[i] *= std::exp(c * v + lambda * (root - 0.5f * c));
      }
    }
    float bond[rates], annuity[rates], b = 1, s = 0;
    for (int n = steps; n < rates; ++n) {
      b /= 1 + delta * l[n];
      s += delta * b;
      bond[n - steps] = b;
      annuity[n - steps] = s;
    }
    float value = 0;
    for (int i = 0; i < options; ++i) {
      int m = maturity[i] - 1;
      float swap = bond[m] + swaprate[i] * annuity[m] - 1;
      if (swap < 0) value -= 100 * swap;
    }
    for (int n = 0; n < steps; ++n) value /= 1 + delta * l[n];
    total += value;
  }
  return total / paths;
}
