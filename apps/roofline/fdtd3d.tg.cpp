// Maxwell's equations in three dimensions, Yee's scheme.
// sizes: ex=256x256x256 steps=16
// least: bytes 16*256**3*4*18; operations 16*256**3*36; launches 32
#include <tangram/tangram.h>

__spectrum void fdtd3d(int steps, float c, Array<3, float> ex, Array<3, float> ey, Array<3, float> ez,
                       Array<3, float> hx, Array<3, float> hy, Array<3, float> hz)
    __requires(ey.size(0) == ex.size(0) && ey.size(1) == ex.size(1) && ey.size(2) == ex.size(2))
        __requires(ez.size(0) == ex.size(0) && ez.size(1) == ex.size(1) && ez.size(2) == ex.size(2))
            __requires(hx.size(0) == ex.size(0) && hx.size(1) == ex.size(1) && hx.size(2) == ex.size(2))
                __requires(hy.size(0) == ex.size(0) && hy.size(1) == ex.size(1) && hy.size(2) == ex.size(2))
                    __requires(hz.size(0) == ex.size(0) && hz.size(1) == ex.size(1) && hz.size(2) == ex.size(2));

__codelet void fdtd3d(int steps, float c, Array<3, float> ex, Array<3, float> ey, Array<3, float> ez,
                      Array<3, float> hx, Array<3, float> hy, Array<3, float> hz) {
  int n0 = ex.size(0), n1 = ex.size(1), n2 = ex.size(2);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n0 - 1; ++i)
      for (int j = 0; j < n1 - 1; ++j)
        for (int k = 0; k < n2 - 1; ++k) {
          hx[i][j][k] += c * ((ey[i][j][k + 1] - ey[i][j][k]) - (ez[i][j + 1][k] - ez[i][j][k]));
          hy[i][j][k] += c * ((ez[i + 1][j][k] - ez[i][j][k]) - (ex[i][j][k + 1] - ex[i][j][k]));
          hz[i][j][k] += c * ((ex[i][j + 1][k] - ex[i][j][k]) - (ey[i + 1][j][k] - ey[i][j][k]));
        }
    for (int i = 1; i < n0; ++i)
      for (int j = 1; j < n1; ++j)
        for (int k = 1; k < n2; ++k) {
          ex[i][j][k] += c * ((hz[i][j][k] - hz[i][j - 1][k]) - (hy[i][j][k] - hy[i][j][k - 1]));
          ey[i][j][k] += c * ((hx[i][j][k] - hx[i][j][k - 1]) - (hz[i][j][k] - hz[i - 1][j][k]));
          ez[i][j][k] += c * ((hy[i][j][k] - hy[i - 1][j][k]) - (hx[i][j][k] - hx[i][j - 1][k]));
        }
  }
}
