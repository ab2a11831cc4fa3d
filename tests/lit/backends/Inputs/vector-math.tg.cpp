#include <tangram/tangram.h>

#include <cmath>

__spectrum float activate(float x);
__codelet float activate(float x) { return std::tanh(x) + std::exp(-x * x) * std::sin(x) + std::floor(x); }

__spectrum void layer(Array<1, float> y, const Array<1, float> x) __requires(y.size() == x.size());
__codelet __tag(serial) void layer(Array<1, float> y, const Array<1, float> x) {
  for (unsigned i = 0; i < x.size(); ++i) y[i] = activate(x[i]);
}
__codelet __tag(each) void layer(Array<1, float> y, const Array<1, float> x) { y = map(activate, x); }
