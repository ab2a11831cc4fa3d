// Whether there is a map, memory says: that its containers are of one length cannot be asked for at the call, and the
// shorter one decides.
#include <tangram/tangram.h>

__spectrum int plus(int a, int b);
__codelet int plus(int a, int b) { return a + b; }

__spectrum void all(const Array<1, int> a, const Array<1, int> b, Array<1, int> out);
__codelet void all(const Array<1, int> a, const Array<1, int> b, Array<1, int> out) {
  if (out[0] > 0) out = map(plus, a, b);
}
