// After how many steps of z = z z + c numbers leave a circle: a loop whose end is a matter of roundings.
#include <tangram/tangram.h>

__spectrum void escapes(const Array<1, float> re, const Array<1, float> im, int limit, Array<1, int> count)
    __requires(re.size() == count.size() && im.size() == count.size());

__codelet void escapes(const Array<1, float> re, const Array<1, float> im, int limit, Array<1, int> count) {
  for (size_t i = 0; i < count.size(); ++i) {
    float x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= BOUND) {
      float next = x * x - y * y + re[i];
      y = 2 * x * y + im[i];
      x = next;
      ++n;
    }
    count[i] = n;
  }
}
