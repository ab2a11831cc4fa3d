// What a spectrum requires of scalars.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void scaled(float alpha, double low, double high, const Array<1, float> x, Array<1, float> y)
    __requires(x.size() == y.size() && alpha > 0 && low < high && alpha + 1 <= high);

__codelet void scaled(float alpha, double low, double high, const Array<1, float> x, Array<1, float> y) {
  float root = std::sqrt(alpha);
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i] * root + float(high - low);
}
