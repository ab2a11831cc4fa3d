// Weights of 4 bits, two in a byte, as numbers of 16 bits: each 32 of a row share a scale and a zero point.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void dequant4(const Array<2, uint8_t> packed, const Array<2, f16> scale, const Array<2, uint8_t> zero,
                         Array<2, f16> out)
    __requires(packed.size(0) == out.size(0) && packed.size(1) == (out.size(1) + 1) / 2)
        __requires(scale.size(0) == out.size(0) && scale.size(1) == (out.size(1) + 31) / 32)
            __requires(zero.size(0) == out.size(0) && zero.size(1) == (out.size(1) + 31) / 32);

__codelet void dequant4(const Array<2, uint8_t> packed, const Array<2, f16> scale, const Array<2, uint8_t> zero,
                        Array<2, f16> out) {
  for (size_t i = 0; i < out.size(0); ++i)
    for (size_t j = 0; j < out.size(1); ++j) {
      int byte = packed[i][j / 2];
      int q = j % 2 == 0 ? byte & 15 : byte >> 4;
      out[i][j] = f16(float(q - int(zero[i][j / 32])) * float(scale[i][j / 32]));
    }
}
