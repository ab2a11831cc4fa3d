// A decoding step of attention over a cache of keys and values of four bits, with a scale and a zero for each token,
// by an online softmax.
// sizes: q=1024x128 key=1024x8192x64
// least: bytes 1024*8192*(64*2+16); operations 1024*8192*128*6; launches 2
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tangram/tangram.h>

struct Quant {
  float scale, zero;
};

__spectrum void int4kv(const Array<2, float> q, const Array<3, uint8_t> key, const Array<2, Quant> keyq,
                       const Array<3, uint8_t> value, const Array<2, Quant> valueq, const Array<1, int> length,
                       Array<2, float> out)
    __requires(q.size(1) == 128 && key.size(0) == q.size(0) && key.size(2) == 64 && value.size(0) == q.size(0) &&
               value.size(1) == key.size(1) && value.size(2) == 64)
        __requires(keyq.size(0) == q.size(0) && keyq.size(1) == key.size(1) && valueq.size(0) == q.size(0) &&
                   valueq.size(1) == key.size(1))
            __requires(length.size() == q.size(0) && out.size(0) == q.size(0) && out.size(1) == 128);

__codelet void int4kv(const Array<2, float> q, const Array<3, uint8_t> key, const Array<2, Quant> keyq,
                      const Array<3, uint8_t> value, const Array<2, Quant> valueq, const Array<1, int> length,
                      Array<2, float> out) {
  for (size_t h = 0; h < q.size(0); ++h) {
    float acc[128];
    for (int d = 0; d < 128; ++d) acc[d] = 0;
    float most = -std::numeric_limits<float>::infinity(), total = 0;
    for (int t = 0; t < length[h]; ++t) {
      Quant kq = keyq[h][t], vq = valueq[h][t];
      float s = 0;
      for (int d = 0; d < 64; ++d) {
        uint8_t two = key[h][t][d];
        s += q[h][2 * d] * ((two & 15) * kq.scale + kq.zero);
        s += q[h][2 * d + 1] * ((two >> 4) * kq.scale + kq.zero);
      }
      s *= 0.08838835f;
      float now = std::max(most, s), old = std::exp(most - now), p = std::exp(s - now);
      total = total * old + p;
      for (int d = 0; d < 64; ++d) {
        uint8_t two = value[h][t][d];
        acc[2 * d] = acc[2 * d] * old + p * ((two & 15) * vq.scale + vq.zero);
        acc[2 * d + 1] = acc[2 * d + 1] * old + p * ((two >> 4) * vq.scale + vq.zero);
      }
      most = now;
    }
    for (int d = 0; d < 128; ++d) out[h][d] = acc[d] / total;
  }
}
