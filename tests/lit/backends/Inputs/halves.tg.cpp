#include <tangram/tangram.h>

struct Weighted {
  f16 weight;
  float value;
};

__spectrum f16 scaled(const Array<1, f16> x, bf16 by, Array<1, Weighted> w)
    __requires(x.size() == w.size()) __requires(by > bf16(0));
__codelet f16 scaled(const Array<1, f16> x, bf16 by, Array<1, Weighted> w) {
  f16 sum = 0;
  for (unsigned i = 0; i < x.size(); ++i) {
    w[i].weight = f16(float(x[i]) * float(by));
    w[i].value = w[i].weight;
    sum += x[i];
  }
  return sum;
}

// Lanes, neighbours of which are loaded and stored together.
__spectrum void halved(const Array<1, f16> x, Array<1, bf16> y) __requires(x.size() == y.size());
__codelet __coop void halved(const Array<1, f16> x, Array<1, bf16> y) {
  for (unsigned i = coopIdx(); i < x.size(); i += coopDim()) y[i] = bf16(float(x[i]) * 0.5f);
}
__codelet void halved(const Array<1, f16> x, Array<1, bf16> y) {
  for (unsigned i = 0; i < x.size(); ++i) y[i] = bf16(float(x[i]) * 0.5f);
}

// Rounded twice, not fused.
__spectrum void axpy(f16 a, const Array<1, f16> x, Array<1, f16> y) __requires(x.size() == y.size());
__codelet __coop void axpy(f16 a, const Array<1, f16> x, Array<1, f16> y) {
  for (unsigned i = coopIdx(); i < x.size(); i += coopDim()) y[i] += a * x[i];
}
__codelet void axpy(f16 a, const Array<1, f16> x, Array<1, f16> y) {
  for (unsigned i = 0; i < x.size(); ++i) y[i] += a * x[i];
}
