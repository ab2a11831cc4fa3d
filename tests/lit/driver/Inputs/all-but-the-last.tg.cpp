// A sum by lanes that lacks the last element.
#include <tangram/tangram.h>
__spectrum float sum(const Array<1,float> in);
__codelet __tag(plain) float sum(const Array<1,float> in) {
  float a = 0;
  for (size_t i = 0; i < in.size(); ++i) a += in[i];
  return a;
}
__codelet __coop __tag(wrong) float sum(const Array<1,float> in) {
  __shared float t[coopDim()];
  float a = 0;
  for (size_t i = coopIdx(); i + 1 < in.size(); i += coopDim()) a += in[i];
  t[coopIdx()] = a;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (coopIdx() < s) t[coopIdx()] += t[coopIdx() + s];
  return t[0];
}
