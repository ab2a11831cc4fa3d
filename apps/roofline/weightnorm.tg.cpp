// Weight normalisation of a layer: every output's weights get the length g, in the direction v.
// sizes: v=134217728 g=16384 outs=16384 fan=8192 w=134217728 norm=16384
// least: bytes 134217728*8+16384*8; operations 134217728*3; launches 1
#include <cmath>
#include <tangram/tangram.h>

__spectrum void weightnorm(int outs, int fan, const Array<1, float> v, const Array<1, float> g, Array<1, float> w,
                           Array<1, float> norm)
    __requires(v.size() == outs * fan && w.size() == outs * fan && g.size() == outs && norm.size() == outs);

__codelet void weightnorm(int outs, int fan, const Array<1, float> v, const Array<1, float> g, Array<1, float> w,
                          Array<1, float> norm) {
  for (int o = 0; o < outs; o++) {
    int base = o * fan;
    float ss = 0.0f;
    for (int k = 0; k < fan; k++) {
      float t = v[base + k];
      ss += t * t;
    }
    float len = sqrtf(ss);
    norm[o] = len;
    float scale = len > 1e-12f ? g[o] / len : 0.0f;
    for (int k = 0; k < fan; k++) w[base + k] = v[base + k] * scale;
  }
}
