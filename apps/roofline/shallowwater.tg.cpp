// Shallow water by the method of Lax and Friedrichs: height and flow in steps of time, walls that reflect.
// sizes: h=4096x4096 steps=16
// least: bytes 16*4096*4096*24; operations 16*4096*4096*60; launches 16
#include <tangram/tangram.h>

__spectrum void shallowwater(int steps, float ratio, Array<2, float> h, Array<2, float> hu, Array<2, float> hv)
    __requires(hu.size(0) == h.size(0) && hu.size(1) == h.size(1) && hv.size(0) == h.size(0) &&
               hv.size(1) == h.size(1) && h.size(0) > 2 && h.size(1) > 2);

__codelet void shallowwater(int steps, float ratio, Array<2, float> h, Array<2, float> hu, Array<2, float> hv) {
  const float g = 9.81f;
  int n = h.size(0), m = h.size(1);
  Array<2, float> nh(n, m), nu(n, m), nv(n, m);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n; ++i) {
      h[i][0] = h[i][1], hu[i][0] = -hu[i][1], hv[i][0] = hv[i][1];
      h[i][m - 1] = h[i][m - 2], hu[i][m - 1] = -hu[i][m - 2], hv[i][m - 1] = hv[i][m - 2];
    }
    for (int j = 0; j < m; ++j) {
      h[0][j] = h[1][j], hu[0][j] = hu[1][j], hv[0][j] = -hv[1][j];
      h[n - 1][j] = h[n - 2][j], hu[n - 1][j] = hu[n - 2][j], hv[n - 1][j] = -hv[n - 2][j];
    }
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) {
        float he = h[i][j + 1], hw = h[i][j - 1], hs = h[i + 1][j], hn = h[i - 1][j];
        float ue = hu[i][j + 1], uw = hu[i][j - 1], us = hu[i + 1][j], un = hu[i - 1][j];
        float ve = hv[i][j + 1], vw = hv[i][j - 1], vs = hv[i + 1][j], vn = hv[i - 1][j];
        nh[i][j] = 0.25f * (he + hw + hs + hn) - ratio / 2 * (ue - uw + vs - vn);
        nu[i][j] =
            0.25f * (ue + uw + us + un) -
            ratio / 2 * (ue * ue / he + g / 2 * he * he - uw * uw / hw - g / 2 * hw * hw + us * vs / hs - un * vn / hn);
        nv[i][j] =
            0.25f * (ve + vw + vs + vn) -
            ratio / 2 * (ue * ve / he - uw * vw / hw + vs * vs / hs + g / 2 * hs * hs - vn * vn / hn - g / 2 * hn * hn);
      }
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) h[i][j] = nh[i][j], hu[i][j] = nu[i][j], hv[i][j] = nv[i][j];
  }
}
