#include <tangram/tangram.h>

__spectrum void shift(const Array<1, int> in, int by, Array<1, int> out) __requires(in.size() == out.size());

__codelet void shift(const Array<1, int> in, int by, Array<1, int> out) {
  for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] + by;
}
