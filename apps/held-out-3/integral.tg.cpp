// The integral image: of each point the sum of all bytes above and to the left, its own among them.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void integral(const Array<2, uint8_t> in, Array<2, uint32_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void integral(const Array<2, uint8_t> in, Array<2, uint32_t> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    uint32_t sum = 0;
    for (size_t j = 0; j < in.size(1); ++j) {
      sum += in[i][j];
      out[i][j] = i > 0 ? out[i - 1][j] + sum : sum;
    }
  }
}
