// Elements of tables that data says, and others that workers read alike.
#include <cstdint>
#include <tangram/tangram.h>

const char letters[] = "0123456789abcdef";
const float weights[3] = {0.25f, 0.5f, 0.25f};

__spectrum void spell(const Array<1, uint8_t> in, const Array<1, float> near, Array<1, uint8_t> out,
                      Array<1, float> smooth)
    __requires(out.size() == in.size() && smooth.size() == in.size() && near.size() == in.size() + 2);

__codelet void spell(const Array<1, uint8_t> in, const Array<1, float> near, Array<1, uint8_t> out,
                     Array<1, float> smooth) {
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned digit = in[i];
    digit &= 15;
    out[i] = letters[digit];
    float sum = 0;
    for (unsigned k = 0; k < 3; ++k) sum += weights[k] * near[i + k];
    smooth[i] = sum;
  }
}
