// A level of the wavelet transform of JPEG 2000 (9/7) by lifting, in place: rows, then columns, then the four bands
// apart.
// sizes: a=8192x8192
// least: bytes 8192*8192*4*4; operations 8192*8192*20; launches 3
#include <tangram/tangram.h>

__spectrum void lifting97(Array<2, float> a, Array<2, float> band)
    __requires(a.size(0) % 2 == 0 && a.size(1) % 2 == 0 && band.size(0) == a.size(0) && band.size(1) == a.size(1))
        __requires(a.size(0) >= 4 && a.size(1) >= 4);

const float lift[4] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};

__codelet void lifting97(Array<2, float> a, Array<2, float> band) {
  int rows = a.size(0), columns = a.size(1);
  for (int i = 0; i < rows; ++i)
    for (int s = 0; s < 4; s += 2) {
      for (int j = 1; j < columns; j += 2) a[i][j] += lift[s] * (a[i][j - 1] + a[i][j + 1 < columns ? j + 1 : j - 1]);
      for (int j = 0; j < columns; j += 2) a[i][j] += lift[s + 1] * (a[i][j > 0 ? j - 1 : 1] + a[i][j + 1]);
    }
  for (int s = 0; s < 4; s += 2) {
    for (int i = 1; i < rows; i += 2)
      for (int j = 0; j < columns; ++j) a[i][j] += lift[s] * (a[i - 1][j] + a[i + 1 < rows ? i + 1 : i - 1][j]);
    for (int i = 0; i < rows; i += 2)
      for (int j = 0; j < columns; ++j) a[i][j] += lift[s + 1] * (a[i > 0 ? i - 1 : 1][j] + a[i + 1][j]);
  }
  const float k = 1.230174105f;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float v = a[i][j];
      v *= i % 2 == 0 ? 1 / k : k;
      v *= j % 2 == 0 ? 1 / k : k;
      band[i / 2 + (i % 2) * (rows / 2)][j / 2 + (j % 2) * (columns / 2)] = v;
    }
}
