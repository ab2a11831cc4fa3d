// One picture over another, both of red, green, blue and how opaque a point is, as bytes; colors are times their
// opacity already (Porter and Duff's "over").
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void composite(const Array<3, uint8_t> over, const Array<3, uint8_t> under, Array<3, uint8_t> out)
    __requires(over.size(2) == 4 && under.size(2) == 4 && out.size(2) == 4)
        __requires(under.size(0) == over.size(0) && under.size(1) == over.size(1))
            __requires(out.size(0) == over.size(0) && out.size(1) == over.size(1));

__codelet void composite(const Array<3, uint8_t> over, const Array<3, uint8_t> under, Array<3, uint8_t> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      int through = 255 - over[i][j][3];
      for (int c = 0; c < 4; ++c) {
        int x = under[i][j][c] * through + 128;
        out[i][j][c] = std::min(over[i][j][c] + ((x + (x >> 8)) >> 8), 255);
      }
    }
}
