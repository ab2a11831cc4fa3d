// NPB EP: pairs of Gaussian deviates from a random generator that can jump ahead, and how many are in which annulus.
// sizes: sx=1048576 q=10
// least: bytes 1048576*8; operations 1048576*64*25*2; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void ep(unsigned seed, Array<1, double> sx, Array<1, double> sy, Array<1, unsigned> q)
    __requires(sy.size() == sx.size() && q.size() == 10);

__codelet void ep(unsigned seed, Array<1, double> sx, Array<1, double> sy, Array<1, unsigned> q) {
  for (int l = 0; l < 10; ++l) q[l] = 0;
  for (size_t b = 0; b < sx.size(); ++b) {
    // a power of the multiplier, by squaring
    unsigned long long a = 1, p = 6364136223846793005ull, e = 128ull * b;
    while (e > 0) {
      if (e & 1) a *= p;
      p *= p;
      e >>= 1;
    }
    unsigned long long s = (seed | 1ull) * a;
    double tx = 0, ty = 0;
    for (int k = 0; k < 64; ++k) {
      s *= 6364136223846793005ull;
      double x = 2 * ((s >> 11) * (1.0 / 9007199254740992.0)) - 1;
      s *= 6364136223846793005ull;
      double y = 2 * ((s >> 11) * (1.0 / 9007199254740992.0)) - 1;
      double t = x * x + y * y;
      if (t <= 1 && t > 0) {
        double f = std::sqrt(-2 * std::log(t) / t);
        int l = std::max(std::abs(x * f), std::abs(y * f));
        q[std::min(l, 9)] += 1;
        tx += x * f;
        ty += y * f;
      }
    }
    sx[b] = tx;
    sy[b] = ty;
  }
}
