#include <cmath>
#include <tangram/tangram.h>

__spectrum void histogram(const Array<1, unsigned> at, const Array<1, float> value, Array<1, float> out)
    __requires(at.size() == value.size());

__codelet void histogram(const Array<1, unsigned> at, const Array<1, float> value, Array<1, float> out) {
  for (size_t i = 0; i < at.size(); ++i)
    atomicAdd(out[at[i]], value[i]);
}

__spectrum void count(const Array<1, unsigned> at, Array<1, unsigned> out);

__codelet void count(const Array<1, unsigned> at, Array<1, unsigned> out) {
  for (size_t i = 0; i < at.size(); ++i)
    atomicAdd(out[at[i]], 1u);
}

__spectrum void first(const Array<1, unsigned> at, Array<1, unsigned> out);

__codelet void first(const Array<1, unsigned> at, Array<1, unsigned> out) {
  for (size_t i = 0; i < at.size(); ++i)
    if (atomicMax(out[at[i]], 1u) == 0)
      out[0] = unsigned(i);
}

__spectrum float logarithm(const Array<1, float> in);

__codelet float logarithm(const Array<1, float> in) {
  float s = 0;
  for (size_t i = 0; i < in.size(); ++i)
    s += std::log(in[i]);
  return s;
}
