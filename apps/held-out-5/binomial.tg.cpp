// American put options on binomial trees of 256 steps (Cox, Ross and Rubinstein), in double precision.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void binomial(double rate, double volatility, const Array<1, double> price, const Array<1, double> strike,
                         const Array<1, double> years, Array<1, double> put)
    __requires(strike.size() == price.size() && years.size() == price.size() && put.size() == price.size());

constexpr int kSteps = 256;

__codelet void binomial(double rate, double volatility, const Array<1, double> price, const Array<1, double> strike,
                        const Array<1, double> years, Array<1, double> put) {
  for (size_t o = 0; o < price.size(); ++o) {
    double dt = years[o] / kSteps;
    double up = std::exp(volatility * std::sqrt(dt)), down = 1 / up, discount = std::exp(-rate * dt);
    double rise = (1 / discount - down) / (up - down);
    double a = discount * rise, b = discount * (1 - rise);
    double spot[kSteps + 1], value[kSteps + 1];
    spot[0] = price[o] * std::exp(-volatility * std::sqrt(dt) * kSteps);
    for (int j = 1; j <= kSteps; ++j) spot[j] = spot[j - 1] * up * up;
    for (int j = 0; j <= kSteps; ++j) value[j] = std::max(strike[o] - spot[j], 0.0);
    for (int i = kSteps - 1; i >= 0; --i)
      for (int j = 0; j <= i; ++j) {
        spot[j] *= up;
        value[j] = std::max(a * value[j + 1] + b * value[j], strike[o] - spot[j]);
      }
    put[o] = value[0];
  }
}
