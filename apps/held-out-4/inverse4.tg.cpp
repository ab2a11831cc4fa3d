// Inverses of many 4 x 4 matrices, by Gauss and Jordan; `shift` is added to their diagonals, so that no pivots are
// looked for.
#include <tangram/tangram.h>

__spectrum void inverse4(float shift, const Array<3, float> in, Array<3, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == 4 && in.size(2) == 4 && out.size(1) == 4 && out.size(2) == 4);

__codelet void inverse4(float shift, const Array<3, float> in, Array<3, float> out) {
  for (size_t n = 0; n < in.size(0); ++n) {
    float m[4][8];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        m[i][j] = in[n][i][j] + (i == j ? shift : 0);
        m[i][j + 4] = i == j ? 1 : 0;
      }
    for (int p = 0; p < 4; ++p) {
      float pivot = m[p][p];
      for (int j = 0; j < 8; ++j) m[p][j] /= pivot;
      for (int i = 0; i < 4; ++i) {
        if (i == p) continue;
        float factor = m[i][p];
        for (int j = 0; j < 8; ++j) m[i][j] -= factor * m[p][j];
      }
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) out[n][i][j] = m[i][j + 4];
  }
}
