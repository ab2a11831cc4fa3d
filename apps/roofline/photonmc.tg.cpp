// Monte Carlo transport of light through a slab of tissue: photons hop, lose weight, scatter, and die by roulette.
// sizes: absorbed=256 photons=16777216
// least: bytes 256*8; operations 16777216*17*60; launches 1
#include <cmath>
#include <tangram/tangram.h>

struct Random {
  unsigned s;
  float next() {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216.0f);
  }
};

__spectrum double photonmc(unsigned photons, float mua, float mus, float g, float thickness, Array<1, double> absorbed);

__codelet double photonmc(unsigned photons, float mua, float mus, float g, float thickness, Array<1, double> absorbed) {
  int bins = absorbed.size();
  double through = 0;
  for (int b = 0; b < bins; b++) absorbed[b] = 0;
  float mut = mua + mus;
  for (unsigned p = 0; p < photons; p++) {
    Random rng{p * 2654435761u + 12345u};
    if (rng.s == 0) rng.s = 1;
    float depth = 0, mu = 1, weight = 1;
    for (int hops = 0; hops < 1000; hops++) {
      depth += mu * (-std::log(rng.next() + 1e-7f) / mut);
      if (depth < 0) break;
      if (depth >= thickness) {
        through += weight;
        break;
      }
      float loss = weight * mua / mut;
      int bin = (int)(depth / thickness * bins);
      absorbed[bin < bins ? bin : bins - 1] += loss;
      weight -= loss;
      if (weight < 0.001f) {
        if (rng.next() > 0.1f) break;
        weight *= 10;
      }
      float f = (1 - g * g) / (1 - g + 2 * g * rng.next());
      float cost = (1 + g * g - f * f) / (2 * g);
      float phi = 6.2831853f * rng.next();
      float sint = std::sqrt(std::fmax(0.0f, 1 - cost * cost)), sinm = std::sqrt(std::fmax(0.0f, 1 - mu * mu));
      mu = mu * cost + sinm * sint * std::cos(phi);
    }
  }
  return through / photons;
}
