// Two sorted arrays merged.
// sizes: a=33554432 b=33554432 out=67108864
// least: bytes 67108864*8
#include <tangram/tangram.h>

__spectrum void mergesorted(const Array<1, int> a, const Array<1, int> b, Array<1, int> out)
    __requires(out.size() == a.size() + b.size());

__codelet void mergesorted(const Array<1, int> a, const Array<1, int> b, Array<1, int> out) {
  size_t i = 0, j = 0;
  for (size_t k = 0; k < out.size(); ++k) {
    if (j >= b.size() || (i < a.size() && a[i] <= b[j]))
      out[k] = a[i++];
    else
      out[k] = b[j++];
  }
}
