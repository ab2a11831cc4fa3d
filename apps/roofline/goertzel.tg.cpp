// Goertzel's algorithm: the energy at some frequencies in frames of a signal.
// sizes: x=16777216 w=64 energy=65536x64
// least: bytes 16777216*4+65536*64*4; operations 16777216*64*3
#include <cmath>
#include <tangram/tangram.h>

__spectrum void goertzel(const Array<1, float> x, const Array<1, float> w, Array<2, float> energy)
    __requires(x.size() == 256 * energy.size(0) && w.size() == energy.size(1));

__codelet void goertzel(const Array<1, float> x, const Array<1, float> w, Array<2, float> energy) {
  for (size_t f = 0; f < energy.size(0); ++f)
    for (size_t k = 0; k < w.size(); ++k) {
      float c = 2 * std::cos(w[k]), s1 = 0, s2 = 0;
      for (int t = 0; t < 256; ++t) {
        float s = x[f * 256 + t] + c * s1 - s2;
        s2 = s1;
        s1 = s;
      }
      energy[f][k] = s1 * s1 + s2 * s2 - c * s1 * s2;
    }
}
