// Sums over lists of neighbours, each with itself: how many there are is data, and so is which.
#include <tangram/tangram.h>

__spectrum void neighbours(const Array<1, unsigned> count, const Array<2, unsigned> list, const Array<1, int> value,
                           Array<1, int> sum)
    __requires(count.size() == list.size(0) && count.size() == value.size() && count.size() == sum.size());

__codelet void neighbours(const Array<1, unsigned> count, const Array<2, unsigned> list, const Array<1, int> value,
                          Array<1, int> sum) {
  for (size_t i = 0; i < count.size(); ++i) {
    sum[i] = 0;
    for (unsigned n = 0; n <= count[i]; ++n) {
      size_t other = n == 0 ? i : list[i][n - 1];
      sum[i] += value[other];
    }
  }
}
