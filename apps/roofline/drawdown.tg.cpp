// The largest drawdown of many price series, and when it was.
// sizes: price=16384x8192
// least: bytes 16384*8192*4; operations 16384*8192*3
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void drawdown(const Array<2, float> price, Array<1, float> worst, Array<1, unsigned> when)
    __requires(worst.size() == price.size(0) && when.size() == price.size(0) && price.size(1) > 0);

__codelet void drawdown(const Array<2, float> price, Array<1, float> worst, Array<1, unsigned> when) {
  for (size_t s = 0; s < price.size(0); ++s) {
    float peak = price[s][0];
    worst[s] = 0;
    when[s] = 0;
    for (size_t t = 0; t < price.size(1); ++t) {
      peak = std::max(peak, price[s][t]);
      float down = peak - price[s][t];
      if (down > worst[s]) {
        worst[s] = down;
        when[s] = t;
      }
    }
  }
}
