// Value at risk and expected shortfall of portfolios from scenarios, by halving an interval instead of sorting.
// sizes: pnl=16384x8192 var=16384 shortfall=16384
// least: bytes 16384*8192*4+16384*8; operations 16384*8192*32; launches 1
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void varquantile(float level, const Array<2, float> pnl, Array<1, float> var, Array<1, float> shortfall)
    __requires(var.size() == pnl.size(0) && shortfall.size() == pnl.size(0));

__codelet void varquantile(float level, const Array<2, float> pnl, Array<1, float> var, Array<1, float> shortfall) {
  size_t scenarios = pnl.size(1);
  int wanted = (1.0f - level) * scenarios;
  for (size_t p = 0; p < pnl.size(0); ++p) {
    float lo = pnl[p][0], hi = pnl[p][0];
    for (size_t s = 1; s < scenarios; ++s) {
      lo = std::min(lo, pnl[p][s]);
      hi = std::max(hi, pnl[p][s]);
    }
    for (int halving = 0; halving < 30 && hi - lo > 1e-5f; ++halving) {
      float mid = 0.5f * (lo + hi);
      int below = 0;
      for (size_t s = 0; s < scenarios; ++s)
        if (pnl[p][s] < mid) ++below;
      if (below > wanted)
        hi = mid;
      else
        lo = mid;
    }
    float sum = 0;
    unsigned worse = 0;
    for (size_t s = 0; s < scenarios; ++s)
      if (pnl[p][s] <= hi) {
        sum += pnl[p][s];
        ++worse;
      }
    var[p] = -hi;
    shortfall[p] = worse ? -sum / worse : -hi;
  }
}
