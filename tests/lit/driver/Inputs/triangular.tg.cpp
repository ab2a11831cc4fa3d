#include <tangram/tangram.h>
__spectrum void sums(const Array<2, float> a, Array<1, float> out)
    __requires(a.size(0) == a.size(1) && a.size(0) == out.size());
__codelet void sums(const Array<2, float> a, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float t = 0;
    for (size_t j = 0; j < i; ++j) t += a[i][j];
    out[i] = t;
  }
}
