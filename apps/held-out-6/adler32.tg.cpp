// The Adler-32 checksum of each row of bytes.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void adler32(const Array<2, uint8_t> in, Array<1, unsigned> sum) __requires(sum.size() == in.size(0));

__codelet void adler32(const Array<2, uint8_t> in, Array<1, unsigned> sum) {
  for (size_t i = 0; i < in.size(0); ++i) {
    unsigned a = 1, b = 0;
    for (size_t j = 0; j < in.size(1); ++j) {
      a = (a + in[i][j]) % 65521;
      b = (b + a) % 65521;
    }
    sum[i] = b << 16 | a;
  }
}
