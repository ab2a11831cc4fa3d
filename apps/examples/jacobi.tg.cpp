// A step of a 7-point stencil in three dimensions: the inner points of a grid.
#include <tangram/tangram.h>

__spectrum void jacobi(float center, float around, const Array<3, float> in, Array<3, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == out.size(2));

__codelet void jacobi(float center, float around, const Array<3, float> in, Array<3, float> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j)
      for (size_t k = 1; k + 1 < in.size(2); ++k)
        out[i][j][k] = center * in[i][j][k] + around * (in[i - 1][j][k] + in[i + 1][j][k] + in[i][j - 1][k] +
                                                        in[i][j + 1][k] + in[i][j][k - 1] + in[i][j][k + 1]);
}
