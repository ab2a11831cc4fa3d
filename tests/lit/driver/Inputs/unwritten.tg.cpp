// Whether numbers are above zero; the second codelet leaves out the last one.
#include <tangram/tangram.h>
__spectrum void above(const Array<1,int> in, Array<1,int> out) __requires(out.size() == in.size());
__codelet __tag(plain) void above(const Array<1,int> in, Array<1,int> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] > 0;
}
__codelet __coop __tag(wrong) void above(const Array<1,int> in, Array<1,int> out) {
  for (size_t i = coopIdx(); i + 1 < in.size(); i += coopDim()) out[i] = in[i] > 0;
}
