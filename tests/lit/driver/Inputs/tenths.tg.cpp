// Sums of one number again and again: roundings that have a common cause, in what is stored and computed of them.
#include <tangram/tangram.h>
__spectrum void tenths(const Array<1,float> in, Array<1,float> out) __requires(out.size() == 2);
__codelet __tag(plain) void tenths(const Array<1,float> in, Array<1,float> out) {
  float s = 0;
  for (size_t i = 0; i < in.size(); ++i) s += in[i] * in[i] * 0.1f;
  out[0] = s;
  out[1] = 1 / s;
}
__codelet __coop __tag(lanes) void tenths(const Array<1,float> in, Array<1,float> out) {
  __shared float t[coopDim()];
  float s = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) s += in[i] * in[i] * 0.1f;
  t[coopIdx()] = s;
  for (unsigned d = coopDim() / 2; d > 0; d /= 2)
    if (coopIdx() < d) t[coopIdx()] += t[coopIdx() + d];
  if (coopIdx() == 0) {
    out[0] = t[0];
    out[1] = 1 / t[0];
  }
}
