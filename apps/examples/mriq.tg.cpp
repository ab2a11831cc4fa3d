// Matrix Q of a reconstruction of magnetic resonance images, as in Parboil: each voxel with all samples.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void mriq(const Array<1, float> kx, const Array<1, float> ky, const Array<1, float> kz,
                     const Array<1, float> magnitude, const Array<1, float> x, const Array<1, float> y,
                     const Array<1, float> z, Array<1, float> real, Array<1, float> imaginary)
    __requires(kx.size() == ky.size() && kx.size() == kz.size() && kx.size() == magnitude.size())
    __requires(x.size() == y.size() && x.size() == z.size())
    __requires(x.size() == real.size() && x.size() == imaginary.size());

__codelet void mriq(const Array<1, float> kx, const Array<1, float> ky, const Array<1, float> kz,
                    const Array<1, float> magnitude, const Array<1, float> x, const Array<1, float> y,
                    const Array<1, float> z, Array<1, float> real, Array<1, float> imaginary) {
  for (size_t v = 0; v < x.size(); ++v) {
    float sumReal = 0, sumImaginary = 0;
    for (size_t k = 0; k < kx.size(); ++k) {
      float angle = 6.2831853f * (kx[k] * x[v] + ky[k] * y[v] + kz[k] * z[v]);
      sumReal += magnitude[k] * std::cos(angle);
      sumImaginary += magnitude[k] * std::sin(angle);
    }
    real[v] = sumReal;
    imaginary[v] = sumImaginary;
  }
}
