// Livermore loop 18: a fragment of explicit hydrodynamics in two dimensions, three phases.
// sizes: zp=4096x4096
// least: bytes 4096*4096*8*13; operations 4096*4096*44; launches 3
#include <tangram/tangram.h>

__spectrum void livermore18(double s, double t, const Array<2, double> zp, const Array<2, double> zq,
                            const Array<2, double> zm, Array<2, double> za, Array<2, double> zb, Array<2, double> zu,
                            Array<2, double> zv, Array<2, double> zr, Array<2, double> zz)
    __requires(zq.size(0) == zp.size(0) && zq.size(1) == zp.size(1) && zm.size(0) == zp.size(0))
        __requires(zm.size(1) == zp.size(1) && za.size(0) == zp.size(0) && za.size(1) == zp.size(1))
            __requires(zb.size(0) == zp.size(0) && zb.size(1) == zp.size(1) && zu.size(0) == zp.size(0))
                __requires(zu.size(1) == zp.size(1) && zv.size(0) == zp.size(0) && zv.size(1) == zp.size(1))
                    __requires(zr.size(0) == zp.size(0) && zr.size(1) == zp.size(1) && zz.size(0) == zp.size(0) &&
                               zz.size(1) == zp.size(1));

__codelet void livermore18(double s, double t, const Array<2, double> zp, const Array<2, double> zq,
                           const Array<2, double> zm, Array<2, double> za, Array<2, double> zb, Array<2, double> zu,
                           Array<2, double> zv, Array<2, double> zr, Array<2, double> zz) {
  int kn = zp.size(0) - 1, jn = zp.size(1) - 1;
  for (int k = 1; k < kn; ++k)
    for (int j = 1; j < jn; ++j) {
      za[k][j] = (zp[k + 1][j - 1] + zq[k + 1][j - 1] - zp[k][j - 1] - zq[k][j - 1]) * (zr[k][j] + zr[k][j - 1]) /
                 (zm[k][j - 1] + zm[k + 1][j - 1]);
      zb[k][j] =
          (zp[k][j - 1] + zq[k][j - 1] - zp[k][j] - zq[k][j]) * (zr[k][j] + zr[k - 1][j]) / (zm[k][j] + zm[k][j - 1]);
    }
  for (int k = 1; k < kn; ++k)
    for (int j = 1; j < jn; ++j) {
      zu[k][j] += s * (za[k][j] * (zz[k][j] - zz[k][j + 1]) - za[k][j - 1] * (zz[k][j] - zz[k][j - 1]) -
                       zb[k][j] * (zz[k][j] - zz[k - 1][j]) + zb[k + 1][j] * (zz[k][j] - zz[k + 1][j]));
      zv[k][j] += s * (za[k][j] * (zr[k][j] - zr[k][j + 1]) - za[k][j - 1] * (zr[k][j] - zr[k][j - 1]) -
                       zb[k][j] * (zr[k][j] - zr[k - 1][j]) + zb[k + 1][j] * (zr[k][j] - zr[k + 1][j]));
    }
  for (int k = 1; k < kn; ++k)
    for (int j = 1; j < jn; ++j) {
      zr[k][j] += t * zu[k][j];
      zz[k][j] += t * zv[k][j];
    }
}
