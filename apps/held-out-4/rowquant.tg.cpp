// Rows of numbers as bytes with a sign, and a scale for each row: its greatest magnitude becomes 127.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void rowquant(const Array<2, float> in, Array<2, int8_t> out, Array<1, float> scale)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && scale.size() == in.size(0));

__codelet void rowquant(const Array<2, float> in, Array<2, int8_t> out, Array<1, float> scale) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float most = 0;
    for (size_t j = 0; j < in.size(1); ++j) most = std::max(most, std::abs(in[i][j]));
    scale[i] = most / 127;
    float inverse = most > 0 ? 127 / most : 0;
    for (size_t j = 0; j < in.size(1); ++j) out[i][j] = int8_t(std::round(in[i][j] * inverse));
  }
}
