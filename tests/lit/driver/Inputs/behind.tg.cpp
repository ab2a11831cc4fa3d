// Twice each number: one iteration too many.
#include <tangram/tangram.h>

__spectrum void twice(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());

__codelet __coop __tag(past)
void twice(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = coopIdx(); i <= out.size(); i += coopDim()) out[i] = in[i] * 2;
}

__codelet __tag(right)
void twice(const Array<1, float> in, Array<1, float> out) {
  float none = 0; // so that it is not the plainest
  for (size_t i = 0; i < out.size(); ++i) out[i] = in[i] + in[i] + none;
}
