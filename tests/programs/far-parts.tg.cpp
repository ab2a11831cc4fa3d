// Parts that begin farther away than 64 bits can say lie behind the end: they are empty, and do not begin anew.
#include <tangram/tangram.h>

__spectrum unsigned length(const Array<1, int> part);
__codelet unsigned length(const Array<1, int> part) { return part.size(); }

// How many elements each part of `in` has, where they begin so far apart.
__spectrum void lengths(size_t apart, const Array<1, int> in, Array<1, unsigned> out);

__codelet __tag(counted) void lengths(size_t apart, const Array<1, int> in, Array<1, unsigned> out) {
  size_t left = in.size();
  for (size_t i = 0; i < out.size(); ++i) {
    size_t here = apart < left ? apart : left;
    out[i] = here;
    left -= here;
  }
}
__codelet __tag(parts) void lengths(size_t apart, const Array<1, int> in, Array<1, unsigned> out) {
  size_t n = in.size();
  out = map(length, partition(in, out.size(), sequence(0, apart, n), sequence(1), sequence(apart, apart, n)));
}
