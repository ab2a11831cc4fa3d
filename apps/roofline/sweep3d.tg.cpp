// A sweep of discrete ordinates through a box (Sn transport, KBA): each cell needs those before it in three directions.
// sizes: source=256x256x256 mu=48
// least: bytes 256*256*256*8; operations 256*256*256*48*15; launches 766
#include <tangram/tangram.h>

__spectrum void sweep3d(float sigma, const Array<3, float> source, const Array<1, float> mu, const Array<1, float> eta,
                        const Array<1, float> xi, const Array<1, float> weight, Array<3, float> flux)
    __requires(eta.size() == mu.size() && xi.size() == mu.size() && weight.size() == mu.size())
        __requires(flux.size(0) == source.size(0) && flux.size(1) == source.size(1) && flux.size(2) == source.size(2));

__codelet void sweep3d(float sigma, const Array<3, float> source, const Array<1, float> mu, const Array<1, float> eta,
                       const Array<1, float> xi, const Array<1, float> weight, Array<3, float> flux) {
  int nz = source.size(0), ny = source.size(1), nx = source.size(2), angles = mu.size();
  Array<2, float> top(ny, nx);
  Array<1, float> back(nx);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) flux[k][j][i] = 0;
  for (int a = 0; a < angles; ++a) {
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) top[j][i] = 0;
    for (int k = 0; k < nz; ++k) {
      for (int i = 0; i < nx; ++i) back[i] = 0;
      for (int j = 0; j < ny; ++j) {
        float left = 0;
        for (int i = 0; i < nx; ++i) {
          float psi = (source[k][j][i] + 2 * (mu[a] * left + eta[a] * back[i] + xi[a] * top[j][i])) /
                      (sigma + 2 * (mu[a] + eta[a] + xi[a]));
          left = 2 * psi - left;
          back[i] = 2 * psi - back[i];
          top[j][i] = 2 * psi - top[j][i];
          flux[k][j][i] += weight[a] * psi;
        }
      }
    }
  }
}
