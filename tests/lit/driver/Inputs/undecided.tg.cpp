// Whether roundings make a number larger: of most it is not decided.
#include <tangram/tangram.h>

__spectrum void grown(const Array<1, float> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet void grown(const Array<1, float> in, Array<1, int> out) {
  for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] * 0.1f / 0.1f > in[i] ? 1 : 0;
}
