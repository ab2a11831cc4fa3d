// The accelerations that bodies give each other, of all pairs.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void accelerations(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                              const Array<1, float> mass, Array<1, float> ax, Array<1, float> ay, Array<1, float> az)
    __requires(x.size() == y.size() && x.size() == z.size() && x.size() == mass.size())
    __requires(x.size() == ax.size() && x.size() == ay.size() && x.size() == az.size());

__codelet void accelerations(const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                             const Array<1, float> mass, Array<1, float> ax, Array<1, float> ay, Array<1, float> az) {
  const float softening = 0.01f; // no two bodies are at no distance
  for (size_t i = 0; i < x.size(); ++i) {
    float sumX = 0, sumY = 0, sumZ = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      float pull = mass[j] * inverse * inverse * inverse;
      sumX += pull * dx;
      sumY += pull * dy;
      sumZ += pull * dz;
    }
    ax[i] = sumX;
    ay[i] = sumY;
    az[i] = sumZ;
  }
}
