// An ensemble of Lorenz systems, each with its own rho, integrated by Bogacki and Shampine's pair with steps of adaptive size.
// sizes: x=4194304 y=4194304 z=4194304 rho=4194304 taken=4194304
// least: bytes 4194304*(8*7+4); operations 4194304*200*110; launches 1
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

struct State {
  double x, y, z;
};
State operator+(State a, State b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
State operator*(double s, State a) { return {s * a.x, s * a.y, s * a.z}; }

State lorenz(State s, double rho) {
  const double sigma = 10.0, beta = 8.0 / 3.0;
  return {sigma * (s.y - s.x), s.x * (rho - s.z) - s.y, s.x * s.y - beta * s.z};
}

__spectrum void odeadaptive(double end, double tolerance, const Array<1, double> rho, Array<1, double> x,
                            Array<1, double> y, Array<1, double> z, Array<1, int> taken)
    __requires(x.size() == rho.size() && y.size() == rho.size() && z.size() == rho.size() && taken.size() == rho.size());

__codelet void odeadaptive(double end, double tolerance, const Array<1, double> rho, Array<1, double> x,
                           Array<1, double> y, Array<1, double> z, Array<1, int> taken) {
  for (size_t i = 0; i < rho.size(); ++i) {
    State s = {x[i], y[i], z[i]};
    double t = 0, h = 1e-3;
    int steps = 0;
    State k1 = lorenz(s, rho[i]);
    while (t < end && steps < 10000) {
      if (t + h > end) h = end - t;
      State k2 = lorenz(s + 0.5 * h * k1, rho[i]);
      State k3 = lorenz(s + 0.75 * h * k2, rho[i]);
      State next = s + h * (2.0 / 9 * k1 + 1.0 / 3 * k2 + 4.0 / 9 * k3);
      State k4 = lorenz(next, rho[i]);
      State e = h * (-5.0 / 72 * k1 + 1.0 / 12 * k2 + 1.0 / 9 * k3 + -0.125 * k4);
      double err = std::sqrt(e.x * e.x + e.y * e.y + e.z * e.z) / tolerance;
      if (err <= 1) {
        t += h;
        s = next;
        k1 = k4;
      }
      h *= std::clamp(0.9 / std::cbrt(err + 1e-12), 0.2, 5.0);
      ++steps;
    }
    x[i] = s.x;
    y[i] = s.y;
    z[i] = s.z;
    taken[i] = steps;
  }
}
