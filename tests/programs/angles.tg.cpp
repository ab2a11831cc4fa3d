// Sine and cosine of one number, of both widths, in loops and branches.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void turn(const Array<1, float> angle, Array<1, float> x, Array<1, double> y)
    __requires(angle.size() == x.size()) __requires(angle.size() == y.size());

__codelet __tag(serial) void turn(const Array<1, float> angle, Array<1, float> x, Array<1, double> y) {
  for (size_t i = 0; i < x.size(); ++i) {
    float a = 2 * angle[i], s = std::sin(a), c = std::cos(a);
    if (s < c) a += std::sin(angle[i]) * std::cos(angle[i]);
    x[i] = c * x[i] - s * std::cos(a);
    y[i] = std::cos(y[i]) * std::cos(y[i]) - std::sin(y[i]);
  }
}

__codelet __tag(tiled) void turn(const Array<1, float> angle, Array<1, float> x, Array<1, double> y) {
  __tunable unsigned p;
  size_t n = x.size(), tile = (n + p - 1) / p;
  map(turn, partition(angle, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(x, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(y, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}
