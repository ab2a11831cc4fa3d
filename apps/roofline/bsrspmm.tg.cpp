// A matrix of sparse 16x16 blocks times a dense one (block-sparse attention, pruned weights).
// sizes: start=257 column=16384 value=16384x16x16 x=4096x1024 y=4096x1024
// least: bytes 16384*256*4+4096*1024*8; operations 16384*256*1024*2
#include <tangram/tangram.h>

__spectrum void bsrspmm(const Array<1, unsigned> start, const Array<1, unsigned> column, const Array<3, float> value,
                        const Array<2, float> x, Array<2, float> y)
    __requires(start.size() * 16 == y.size(0) + 16 && value.size(0) == column.size() && value.size(1) == 16 &&
               value.size(2) == 16 && y.size(1) == x.size(1) && x.size(0) >= 16);

__codelet void bsrspmm(const Array<1, unsigned> start, const Array<1, unsigned> column, const Array<3, float> value,
                       const Array<2, float> x, Array<2, float> y) {
  for (size_t b = 0; b + 1 < start.size(); ++b)
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < y.size(1); ++j) {
        float sum = 0;
        for (unsigned k = start[b]; k < start[b + 1]; ++k)
          for (size_t l = 0; l < 16; ++l) sum += value[k][i][l] * x[column[k] * 16 + l][j];
        y[b * 16 + i][j] = sum;
      }
}
