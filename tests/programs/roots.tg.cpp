// Divisions by square roots: directly, by variables, in functions; of numbers that are 0, below 0 and subnormal; of both
// widths.
#include <cmath>
#include <tangram/tangram.h>

namespace own {
inline float rsqrtf(float x) { return 1 / std::sqrt(x); } // as devices call theirs
} // namespace own

__spectrum void roots(const Array<1, float> x, const Array<1, double> y, Array<1, float> plain, Array<1, float> scaled,
                      Array<1, float> subnormal, Array<1, double> wide) __requires(x.size() == y.size())
    __requires(x.size() == plain.size()) __requires(x.size() == scaled.size())
        __requires(x.size() == subnormal.size()) __requires(x.size() == wide.size());

__codelet __tag(serial) void roots(const Array<1, float> x, const Array<1, double> y, Array<1, float> plain,
                                   Array<1, float> scaled, Array<1, float> subnormal, Array<1, double> wide) {
  for (size_t i = 0; i < x.size(); ++i) {
    const float size = std::fabs(x[i]), distance = std::sqrt(size + 0.25f);
    plain[i] = 1 / std::sqrt(x[i]);
    scaled[i] = x[i] / distance + own::rsqrtf(size + 1) - 3 / distance;
    scaled[i] /= std::sqrt(size);
    const float least = y[i] < 0 ? -1e-40f : 1e-40f;
    subnormal[i] = std::fabs(y[i]) > 0.5 ? 2 / std::sqrt(least) : least / sqrtf(least);
    wide[i] = 1 / std::sqrt(y[i]);
  }
}

__codelet __tag(tiled) void roots(const Array<1, float> x, const Array<1, double> y, Array<1, float> plain,
                                  Array<1, float> scaled, Array<1, float> subnormal, Array<1, double> wide) {
  __tunable unsigned p;
  size_t n = x.size(), tile = (n + p - 1) / p;
  map(roots, partition(x, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(y, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(plain, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(scaled, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(subnormal, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(wide, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}
