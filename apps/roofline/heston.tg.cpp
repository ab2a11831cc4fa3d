// Barrier options by Monte Carlo in Heston's model, a xorshift generator for each path.
// sizes: payoff=1048576 steps=64
// least: bytes 1048576*8; operations 1048576*64*60
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

struct Rng {
  unsigned s;
  float uniform() {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216) + 1e-9f;
  }
};
__spectrum float heston(int steps, float strike, float barrier, const Array<1, unsigned> seed, Array<1, float> payoff)
    __requires(seed.size() == payoff.size());

__codelet float heston(int steps, float strike, float barrier, const Array<1, unsigned> seed, Array<1, float> payoff) {
  float total = 0, dt = 1.0f / steps;
  for (size_t p = 0; p < payoff.size(); ++p) {
    Rng r{seed[p] | 1u};
    float s = 100, v = 0.04f;
    bool alive = true;
    for (int t = 0; t < steps; ++t) {
      float u1 = r.uniform(), u2 = r.uniform(), m = std::sqrt(-2 * std::log(u1));
      float z1 = m * std::cos(6.2831853f * u2), z2 = m * std::sin(6.2831853f * u2);
      float root = std::sqrt(std::max(v, 0.0f) * dt);
      s *= std::exp(-0.5f * std::max(v, 0.0f) * dt + root * z1);
      v += 2 * (0.04f - v) * dt + 0.3f * root * (-0.7f * z1 + 0.714f * z2);
      if (s > barrier) {
        alive = false;
        break;
      }
    }
    payoff[p] = alive ? std::max(s - strike, 0.0f) : 0;
    total += payoff[p];
  }
  return total / payoff.size();
}
