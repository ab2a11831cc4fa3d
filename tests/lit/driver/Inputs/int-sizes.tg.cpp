#include <tangram/tangram.h>

__spectrum void twice(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void twice(const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) out[i][j] = 2 * in[i][j];
}
