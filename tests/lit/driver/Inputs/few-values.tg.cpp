// Sums of at most so many values.
#include <tangram/tangram.h>

#define SUM(NAME, MOST)                                                                                                \
  __spectrum float NAME(const Array<1, float> in) __requires(in.size() <= MOST);                                       \
  __codelet __tag(serial) float NAME(const Array<1, float> in) {                                                       \
    float sum = 0;                                                                                                     \
    for (unsigned i = 0; i < in.size(); ++i) sum += in[i];                                                             \
    return sum;                                                                                                        \
  }                                                                                                                    \
  __codelet __coop __tag(tree) float NAME(const Array<1, float> in) {                                                  \
    __shared float t[coopDim()];                                                                                       \
    unsigned id = coopIdx();                                                                                           \
    t[id] = id < in.size() ? in[id] : 0.0f;                                                                            \
    for (unsigned s = coopDim() / 2; s > 0; s /= 2)                                                                    \
      if (id < s) t[id] += t[id + s];                                                                                  \
    return t[0];                                                                                                       \
  }
SUM(few, 32)
SUM(many, 33)
