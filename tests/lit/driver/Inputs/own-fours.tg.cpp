// Each call writes four elements of its own.
#include <tangram/tangram.h>
__spectrum void four(const int b, const Array<1,float> in, Array<1,float> out);
__codelet void four(const int b, const Array<1,float> in, Array<1,float> out) {
  for (int j = 0; j < 4; ++j) out[b * 4 + j] = 2 * in[b * 4 + j];
}
__spectrum void all(const Array<1,float> in, Array<1,float> out) __requires(out.size() == in.size()) __requires(in.size() % 4 == 0);
__codelet void all(const Array<1,float> in, Array<1,float> out) {
  map(four, range<int>(in.size() / 4), in, out);
}
