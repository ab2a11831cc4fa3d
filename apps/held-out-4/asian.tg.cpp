// What an Asian option is worth, by Monte Carlo in double precision: the price follows 16 random steps, and its mean is
// what counts. Random numbers are Philox 2x32-10 of the path, the step and a seed, and normal by Box and Muller.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tangram/tangram.h>

struct Pair {
  uint32_t x, y;
};

Pair philox(uint32_t x, uint32_t y, uint32_t key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product = uint64_t(0xD256D193u) * x;
    x = uint32_t(product >> 32) ^ key ^ y;
    y = uint32_t(product);
    key += 0x9E3779B9u;
  }
  return Pair{x, y};
}

__spectrum double asian(unsigned paths, unsigned seed, double rate, double volatility, double strike);

__codelet double asian(unsigned paths, unsigned seed, double rate, double volatility, double strike) {
  double dt = 1.0 / 16, drift = (rate - 0.5 * volatility * volatility) * dt, diffusion = volatility * std::sqrt(dt);
  double total = 0;
  for (unsigned p = 0; p < paths; ++p) {
    double logarithm = 0, sum = 0;
    for (unsigned s = 0; s < 16; ++s) {
      Pair random = philox(p, s, seed);
      double u = (random.x + 0.5) / 4294967296.0, v = random.y / 4294967296.0;
      double normal = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
      logarithm += drift + diffusion * normal;
      sum += std::exp(logarithm);
    }
    total += std::max(sum / 16 - strike, 0.0);
  }
  return std::exp(-rate) * total / paths;
}
