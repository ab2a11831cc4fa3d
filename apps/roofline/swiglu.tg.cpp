// The first half of a gated feed-forward layer: silu(x Wg) * (x Wu), both products at once.
// sizes: x=4096x4096 gate=11008x4096 up=11008x4096 h=4096x11008
// least: bytes 4096*4096*4+11008*4096*8+4096*11008*4; operations 4096*11008*4096*4; launches 1
#include <cmath>
#include <tangram/tangram.h>

float silu(float z) { return z / (1.0f + std::exp(-z)); }

__spectrum void swiglu(const Array<2, float> x, const Array<2, float> gate, const Array<2, float> up, Array<2, float> h)
    __requires(gate.size(1) == x.size(1) && up.size(0) == gate.size(0) && up.size(1) == x.size(1) &&
               h.size(0) == x.size(0) && h.size(1) == gate.size(0));

__codelet void swiglu(const Array<2, float> x, const Array<2, float> gate, const Array<2, float> up, Array<2, float> h) {
  for (size_t token = 0; token < x.size(0); ++token)
    for (size_t unit = 0; unit < gate.size(0); ++unit) {
      float g = 0, u = 0;
      for (size_t c = 0; c < x.size(1); ++c) {
        g += x[token][c] * gate[unit][c];
        u += x[token][c] * up[unit][c];
      }
      h[token][unit] = silu(g) * u;
    }
}
