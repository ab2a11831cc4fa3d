#include <tangram/tangram.h>

// Lanes go over their own elements, as many as there are.
__spectrum float scaled(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet __coop float scaled(const Array<1, float> in, Array<1, float> out) {
  __shared float t[coopDim()];
  unsigned id = coopIdx();
  float sum = 0;
  for (size_t i = id; i < in.size(); i += coopDim()) {
    out[i] = 2 * in[i];
    sum += out[i];
  }
  for (size_t i = id; i < in.size(); i += 2 * coopDim()) out[i] += 1;
  t[id] = sum;
  return t[0];
}

// The same elements, but those of the lane beside, too.
__spectrum float mixed(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());
__codelet __coop float mixed(const Array<1, float> in, Array<1, float> out) {
  __shared float t[coopDim()];
  unsigned id = coopIdx();
  float sum = 0;
  for (size_t i = id; i + 1 < in.size(); i += coopDim()) {
    out[i] = 2 * in[i];
    sum += out[i + 1];
  }
  t[id] = sum;
  return t[0];
}
