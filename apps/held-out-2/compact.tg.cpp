// The numbers above a threshold, in their order; how many they are is the result.
#include <tangram/tangram.h>

__spectrum size_t compact(float threshold, const Array<1, float> in, Array<1, float> out)
    __requires(in.size() == out.size());

__codelet size_t compact(float threshold, const Array<1, float> in, Array<1, float> out) {
  size_t n = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > threshold) out[n++] = in[i];
  return n;
}
