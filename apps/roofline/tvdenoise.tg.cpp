// Total variation denoising by Chambolle's projections: dual fields px, py in steps, then the picture.
// sizes: noisy=4096x4096 px=4096x4096 py=4096x4096 clean=4096x4096 steps=20
// least: bytes 20*4096*4096*4*5; operations 20*4096*4096*18; launches 20
#include <cmath>
#include <tangram/tangram.h>

__spectrum void tvdenoise(int steps, float lambda, const Array<2, float> noisy, Array<2, float> px, Array<2, float> py,
                          Array<2, float> clean)
    __requires(px.size(0) == noisy.size(0) && px.size(1) == noisy.size(1) && py.size(0) == noisy.size(0) &&
               py.size(1) == noisy.size(1) && clean.size(0) == noisy.size(0) && clean.size(1) == noisy.size(1));

__codelet void tvdenoise(int steps, float lambda, const Array<2, float> noisy, Array<2, float> px, Array<2, float> py,
                         Array<2, float> clean) {
  int h = noisy.size(0), w = noisy.size(1);
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) px[i][j] = py[i][j] = 0;
  for (int s = 0; s <= steps; s++) {
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float div = px[i][j] + py[i][j];
        if (j > 0) div -= px[i][j - 1];
        if (i > 0) div -= py[i - 1][j];
        clean[i][j] = noisy[i][j] - lambda * div;
      }
    if (s == steps) break;
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float gx = j + 1 < w ? clean[i][j + 1] - clean[i][j] : 0.f;
        float gy = i + 1 < h ? clean[i + 1][j] - clean[i][j] : 0.f;
        float rate = 0.248f / lambda, norm = 1 + rate * std::sqrt(gx * gx + gy * gy);
        px[i][j] = (px[i][j] - rate * gx) / norm;
        py[i][j] = (py[i][j] - rate * gy) / norm;
      }
  }
}
