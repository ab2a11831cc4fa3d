// A cooperative codelet that needs much scratchpad memory, and a spectrum that may use it twice in one launch.
#include <tangram/tangram.h>
__spectrum int sum(const Array<1, int> in);
__codelet __tag(serial) int sum(const Array<1, int> in) {
  int accum = 0;
  for (size_t i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}
__codelet __coop __tag(wide) int sum(const Array<1, int> in) {
  __shared int tmp[WIDE * coopDim()];
  size_t id = coopIdx();
  tmp[id] = id < in.size() ? in[id] : 0;
  for (unsigned s = 1; s < coopDim(); s *= 2) {
    if (id >= s) tmp[id] += tmp[id - s];
  }
  return tmp[coopDim() - 1];
}
__spectrum int twice(const Array<1, int> in);
__codelet __tag(both) int twice(const Array<1, int> in) { return sum(in) + sum(in); }
