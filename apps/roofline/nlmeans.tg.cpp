// Denoising by nonlocal means: each point becomes the mean of those around it, weighted by how alike their patches are.
// sizes: in=1080x1920 search=10 patch=3
// least: bytes 1080*1920*8; operations 1080*1920*441*12; launches 1
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void nlmeans(int search, int patch, float h, const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && in.size() > 0 && h > 0 && patch >= 0);

float at(const Array<2, float> &in, int y, int x) {
  return in[std::clamp(y, 0, int(in.size(0)) - 1)][std::clamp(x, 0, int(in.size(1)) - 1)];
}

__codelet void nlmeans(int search, int patch, float h, const Array<2, float> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  float norm = 1 / (h * h * (2 * patch + 1) * (2 * patch + 1));
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      float sum = 0, total = 0;
      for (int dy = -search; dy <= search; ++dy)
        for (int dx = -search; dx <= search; ++dx) {
          float distance = 0;
          for (int r = -patch; r <= patch; ++r)
            for (int s = -patch; s <= patch; ++s) {
              float d = at(in, y + r, x + s) - at(in, y + dy + r, x + dx + s);
              distance += d * d;
            }
          float w = std::exp(-distance * norm);
          sum += w * at(in, y + dy, x + dx);
          total += w;
        }
      out[y][x] = sum / total;
    }
}
