// The forces of Lennard-Jones between atoms and their neighbours, lists of which were made before: of each atom a row of 64
// indices, and how many of them count. What is beyond the cutoff has no force, nor what is at no distance.
#include <tangram/tangram.h>

__spectrum void ljforces(float cutoff, const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                         const Array<1, int> count, const Array<2, int> neighbour, Array<1, float> fx,
                         Array<1, float> fy, Array<1, float> fz)
    __requires(y.size() == x.size() && z.size() == x.size() && count.size() == x.size())
        __requires(neighbour.size(0) == x.size() && neighbour.size(1) == 64)
            __requires(fx.size() == x.size() && fy.size() == x.size() && fz.size() == x.size());

__codelet void ljforces(float cutoff, const Array<1, float> x, const Array<1, float> y, const Array<1, float> z,
                        const Array<1, int> count, const Array<2, int> neighbour, Array<1, float> fx,
                        Array<1, float> fy, Array<1, float> fz) {
  for (size_t i = 0; i < x.size(); ++i) {
    float sumX = 0, sumY = 0, sumZ = 0;
    for (int k = 0; k < count[i]; ++k) {
      int j = neighbour[i][k];
      float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
      float square = dx * dx + dy * dy + dz * dz;
      if (square > 0 && square < cutoff * cutoff) {
        float inverse = 1 / square;
        float sixth = inverse * inverse * inverse;
        float force = 48 * sixth * (sixth - 0.5f) * inverse;
        sumX += force * dx;
        sumY += force * dy;
        sumZ += force * dz;
      }
    }
    fx[i] = sumX;
    fy[i] = sumY;
    fz[i] = sumZ;
  }
}
