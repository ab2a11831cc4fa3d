// The same number by two ways, one of which rounds once more; and what is infinite in one type alone.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void ways(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());

__codelet __tag(plain)
void ways(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] * in[i] - in[i];
}

__codelet __coop __tag(factors)
void ways(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) out[i] = in[i] * (in[i] - 1);
}

__spectrum void beyond(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());

__codelet __tag(loop)
void beyond(const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = std::exp(in[i]) * 4 - std::exp(in[i] * 0.5f);
}
