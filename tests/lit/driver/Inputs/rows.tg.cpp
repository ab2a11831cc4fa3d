#include <tangram/tangram.h>

__spectrum void scale(Array<2, float> out, const Array<2, float> in)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet
void scale(Array<2, float> out, const Array<2, float> in) {
  for (unsigned r = 0; r < in.size(0); ++r) {
    float sum = 0;
    for (unsigned c = 0; c < in.size(1); ++c) sum += in[r][c];
    for (unsigned c = 0; c < in.size(1); ++c) out[r][c] = in[r][c] / sum;
  }
}
