// Sums of the begins of rows, of which all rows of a group have as many elements.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void heads(const Array<3, float> x, const Array<1, unsigned> length, Array<2, float> out)
    __requires(length.size() == x.size(0) && out.size(0) == x.size(0) && out.size(1) == x.size(1));

__codelet void heads(const Array<3, float> x, const Array<1, unsigned> length, Array<2, float> out) {
  for (size_t n = 0; n < x.size(0); ++n) {
    size_t most = std::min(size_t(length[n]), x.size(2));
    for (size_t h = 0; h < x.size(1); ++h) {
      float sum = 0;
      for (size_t t = 0; t < most; ++t) sum += x[n][h][t];
      out[n][h] = sum;
    }
  }
}
