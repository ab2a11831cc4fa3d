#include <tangram/tangram.h>
__spectrum void moments(const Array<1, float> in, Array<1, float> out) __requires(out.size() == 2);
__codelet void moments(const Array<1, float> in, Array<1, float> out) {
  float sum = 0, squares = 0;
  for (unsigned i = 0; i < in.size(); ++i) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  out[0] = sum;
  out[1] = squares;
}
