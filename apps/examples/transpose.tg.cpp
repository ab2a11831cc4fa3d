// A matrix, turned.
#include <tangram/tangram.h>

__spectrum void transpose(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(1) && in.size(1) == out.size(0));

__codelet void transpose(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) out[j][i] = in[i][j];
}
