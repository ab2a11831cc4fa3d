// A step of a 27-point stencil in three dimensions: the inner points of a grid.
#include <tangram/tangram.h>

__spectrum void stencil27(const Array<3, float> weights, const Array<3, float> in, Array<3, float> out)
    __requires(weights.size(0) == 3 && weights.size(1) == 3 && weights.size(2) == 3)
        __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == out.size(2));

__codelet void stencil27(const Array<3, float> weights, const Array<3, float> in, Array<3, float> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j)
      for (size_t k = 1; k + 1 < in.size(2); ++k) {
        float sum = 0;
        for (int di = -1; di <= 1; ++di)
          for (int dj = -1; dj <= 1; ++dj)
            for (int dk = -1; dk <= 1; ++dk) sum += weights[di + 1][dj + 1][dk + 1] * in[i + di][j + dj][k + dk];
        out[i][j][k] = sum;
      }
}
