// Weights quantized to four bits by groups of 128, two in a byte, with a scale and a zero point.
// sizes: w=8192x8192
// least: bytes 8192*8192*4.5; operations 8192*8192*6
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

constexpr int GROUP = 128;
__spectrum void quantgroup(const Array<2, float> w, Array<2, unsigned char> packed, Array<2, float> scale,
                           Array<2, unsigned char> zero)
    __requires(w.size(1) % 128 == 0 && packed.size(0) == w.size(0) && packed.size(1) == w.size(1) / 2)
        __requires(scale.size(0) == w.size(0) && scale.size(1) == w.size(1) / 128 && zero.size(0) == w.size(0) &&
                   zero.size(1) == w.size(1) / 128);

__codelet void quantgroup(const Array<2, float> w, Array<2, unsigned char> packed, Array<2, float> scale,
                          Array<2, unsigned char> zero) {
  int rows = w.size(0), columns = w.size(1);
  for (int i = 0; i < rows; ++i)
    for (int g = 0; g < columns / GROUP; ++g) {
      float low = 0, high = 0;
      for (int k = 0; k < GROUP; ++k) {
        low = std::min(low, w[i][g * GROUP + k]);
        high = std::max(high, w[i][g * GROUP + k]);
      }
      float s = std::max((high - low) / 15, 1e-8f);
      int z = std::clamp(int(std::floor(-low / s + 0.5f)), 0, 15);
      scale[i][g] = s;
      zero[i][g] = z;
      for (int k = 0; k < GROUP; k += 2) {
        int a = std::clamp(int(std::floor(w[i][g * GROUP + k] / s + 0.5f)) + z, 0, 15);
        int b = std::clamp(int(std::floor(w[i][g * GROUP + k + 1] / s + 0.5f)) + z, 0, 15);
        packed[i][(g * GROUP + k) / 2] = a | b << 4;
      }
    }
}
