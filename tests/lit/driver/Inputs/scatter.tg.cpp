// Calls that write where data says, one after the other in two maps: only calls of one map meet.
#include <tangram/tangram.h>

__spectrum void put(unsigned to, const Array<1, int> from, Array<1, int> out);
__codelet void put(unsigned to, const Array<1, int> from, Array<1, int> out) { out[to] = from[to]; }

__spectrum void take(unsigned from, Array<1, int> out, Array<1, int> into);
__codelet void take(unsigned from, Array<1, int> out, Array<1, int> into) {
  if (from > 0) out[from] = out[from - 1] + into[0];
}

__spectrum void twice(const Array<1, unsigned> to, const Array<1, int> from, Array<1, int> out)
    __requires(out.size() == from.size());
__codelet __independent void twice(const Array<1, unsigned> to, const Array<1, int> from, Array<1, int> out) {
  map(put, to, from, out);
  map(put, to, from, out);
}

__spectrum void chain(const Array<1, unsigned> at, Array<1, int> into, Array<1, int> out);
__codelet __independent void chain(const Array<1, unsigned> at, Array<1, int> into, Array<1, int> out) {
  map(take, at, out, into);
}
