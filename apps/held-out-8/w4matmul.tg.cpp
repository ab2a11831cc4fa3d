// Activations times weights of four bits, two a byte, where each 64 weights of a row have a scale (as in GPTQ and AWQ).
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void w4matmul(const Array<2, float> x, const Array<2, uint8_t> packed, const Array<2, float> scale,
                         Array<2, float> y)
    __requires(x.size(1) == scale.size(1) * 64 && packed.size(1) == scale.size(1) * 32)
        __requires(packed.size(0) == scale.size(0) && y.size(0) == x.size(0) && y.size(1) == scale.size(0));

__codelet void w4matmul(const Array<2, float> x, const Array<2, uint8_t> packed, const Array<2, float> scale,
                        Array<2, float> y) {
  for (size_t m = 0; m < y.size(0); ++m)
    for (size_t n = 0; n < y.size(1); ++n) {
      float sum = 0;
      for (size_t g = 0; g < scale.size(1); ++g) {
        float part = 0;
        for (size_t k = 64 * g; k < 64 * (g + 1); k += 2) {
          uint8_t two = packed[n][k / 2];
          part += x[m][k] * ((two & 15) - 8);
          part += x[m][k + 1] * ((two >> 4) - 8);
        }
        sum += scale[n][g] * part;
      }
      y[m][n] = sum;
    }
}
