// SELECT key, SUM(value), COUNT(*) GROUP BY key, of 1024 keys.
#include <tangram/tangram.h>

__spectrum void groupby(const Array<1, unsigned> key, const Array<1, float> value, Array<1, float> sum,
                        Array<1, unsigned> count) __requires(key.size() == value.size())
    __requires(sum.size() == 1024 && count.size() == 1024);

__codelet void groupby(const Array<1, unsigned> key, const Array<1, float> value, Array<1, float> sum,
                       Array<1, unsigned> count) {
  for (size_t k = 0; k < 1024; ++k) {
    sum[k] = 0;
    count[k] = 0;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    sum[key[i]] += value[i];
    count[key[i]] += 1;
  }
}
