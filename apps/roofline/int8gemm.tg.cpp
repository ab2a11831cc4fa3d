// A product of 8-bit matrices, requantized to 8 bits by channel.
// sizes: a=2048x2048 b=2048x2048 c=2048x2048
// least: bytes 3*2048*2048; operations 2048**3*2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void int8gemm(int azero, int czero, const Array<2, signed char> a, const Array<2, signed char> b,
                         const Array<1, int> bias, const Array<1, float> scale, Array<2, signed char> c)
    __requires(a.size(1) == b.size(1) && c.size(0) == a.size(0) && c.size(1) == b.size(0) && bias.size() == b.size(0) &&
               scale.size() == b.size(0));

__codelet void int8gemm(int azero, int czero, const Array<2, signed char> a, const Array<2, signed char> b,
                        const Array<1, int> bias, const Array<1, float> scale, Array<2, signed char> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      int sum = bias[j];
      for (size_t k = 0; k < a.size(1); ++k) sum += (a[i][k] - azero) * b[j][k];
      int q = int(std::floor(sum * scale[j] + 0.5f)) + czero;
      c[i][j] = std::clamp(q, -128, 127);
    }
}
