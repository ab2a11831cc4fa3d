// Survival curves: the cumulative product of one minus the hazard along each row, and the expected time alive.
// sizes: hazard=16384x8192 survival=16384x8192 expected=16384
// least: bytes 16384*8192*8; operations 16384*8192*3; launches 1
#include <tangram/tangram.h>

__spectrum void cumprod(const Array<2, float> hazard, Array<2, float> survival, Array<1, float> expected)
    __requires(survival.size(0) == hazard.size(0) && survival.size(1) == hazard.size(1) &&
               expected.size() == hazard.size(0));

__codelet void cumprod(const Array<2, float> hazard, Array<2, float> survival, Array<1, float> expected) {
  for (size_t i = 0; i < hazard.size(0); i++) {
    float alive = 1.0f, years = 0.0f;
    for (size_t t = 0; t < hazard.size(1); t++) {
      alive *= 1.0f - hazard[i][t];
      survival[i][t] = alive;
      years += alive;
    }
    expected[i] = years;
  }
}
