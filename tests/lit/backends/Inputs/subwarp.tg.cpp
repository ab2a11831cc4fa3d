// Sums of rows, each by a part of a warp.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);
__codelet int sum(const Array<1, int> in) {
  int all = 0;
  for (unsigned i = 0; i < in.size(); ++i) all += in[i];
  return all;
}
__codelet __coop __tag(tree) int sum(const Array<1, int> in) {
  __shared int part[coopDim()];
  int own = 0;
  for (unsigned i = coopIdx(); i < in.size(); i += coopDim()) own += in[i];
  part[coopIdx()] = own;
  for (unsigned half = coopDim() / 2; half > 0; half /= 2)
    if (coopIdx() < half) part[coopIdx()] += part[coopIdx() + half];
  return part[0];
}

__spectrum void rows(const Array<2, int> in, Array<1, int> out) __requires(in.size(0) == out.size());
__codelet void rows(const Array<2, int> in, Array<1, int> out) { out = map(sum, in); }
