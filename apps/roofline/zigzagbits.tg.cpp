// JPEG: coefficients of blocks of 8x8 quantized in zigzag order, and the bits that their runs take.
// sizes: block=1048576x64
// least: bytes 1048576*64*6+1048576*4; operations 1048576*64*4
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

constexpr int ZIGZAG[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                            41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                            30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
__spectrum unsigned long long zigzagbits(const Array<2, float> block, const Array<1, float> table,
                                         const Array<1, unsigned> bits, Array<2, short> coefficient,
                                         Array<1, unsigned> length)
    __requires(block.size(1) == 64 && table.size() == 64 && bits.size() == 256 && coefficient.size(0) == block.size(0))
        __requires(coefficient.size(1) == 64 && length.size() == block.size(0));

__codelet unsigned long long zigzagbits(const Array<2, float> block, const Array<1, float> table,
                                        const Array<1, unsigned> bits, Array<2, short> coefficient,
                                        Array<1, unsigned> length) {
  unsigned long long all = 0;
  for (size_t b = 0; b < block.size(0); ++b) {
    int run = 0;
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) {
      float v = std::clamp(block[b][ZIGZAG[k]] / (table[k] * table[k] + 1), -1023.0f, 1023.0f);
      int q = v < 0 ? -int(0.5f - v) : int(v + 0.5f);
      coefficient[b][k] = q;
      if (k == 0) continue;
      if (q == 0) {
        ++run;
        continue;
      }
      while (run > 15) {
        sum += bits[15 * 16];
        run -= 16;
      }
      int size = 0;
      for (int m = std::abs(q); m > 0; m >>= 1) ++size;
      sum += bits[run * 16 + size] + size;
      run = 0;
    }
    if (run > 0) sum += bits[0];
    length[b] = sum;
    all += sum;
  }
  return all;
}
