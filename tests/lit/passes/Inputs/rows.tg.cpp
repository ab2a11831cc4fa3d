#include <tangram/tangram.h>

__spectrum float dot(const Array<1, float> a, const Array<1, float> b) __requires(a.size() == b.size());
__spectrum void rows(const Array<2, float> a, const Array<1, float> x, Array<1, float> y)
    __requires(a.size(0) == y.size()) __requires(a.size(1) == x.size());

__codelet __tag(serial) float dot(const Array<1, float> a, const Array<1, float> b) {
  float accum = 0;
  for (size_t i = 0; i < a.size(); ++i) accum += a[i] * b[i];
  return accum;
}

__codelet __tag(each) void rows(const Array<2, float> a, const Array<1, float> x, Array<1, float> y) {
  y = map(dot, a, x);
}
