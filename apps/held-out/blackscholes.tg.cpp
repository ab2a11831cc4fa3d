// Prices of European options by Black and Scholes: calls and puts.
#include <cmath>
#include <tangram/tangram.h>

float normal(float x) { return 0.5f * std::erfc(-x * 0.70710678f); }

__spectrum void blackscholes(float rate, float volatility, const Array<1, float> price, const Array<1, float> strike,
                             const Array<1, float> years, Array<1, float> call, Array<1, float> put)
    __requires(price.size() == strike.size() && price.size() == years.size())
        __requires(price.size() == call.size() && price.size() == put.size());

__codelet void blackscholes(float rate, float volatility, const Array<1, float> price, const Array<1, float> strike,
                            const Array<1, float> years, Array<1, float> call, Array<1, float> put) {
  for (size_t i = 0; i < price.size(); ++i) {
    float deviation = volatility * std::sqrt(years[i]);
    float d1 = (std::log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
    float d2 = d1 - deviation;
    float discounted = strike[i] * std::exp(-rate * years[i]);
    call[i] = price[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - price[i] * normal(-d1);
  }
}
