// A merge join of two tables sorted by key, the right one unique: where each left row finds its partner, and a sum of products.
// sizes: lkey=134217728 lvalue=134217728 rkey=33554432 rvalue=33554432 partner=134217728
// least: bytes 134217728*12+33554432*8; operations 134217728*6; launches 1
#include <tangram/tangram.h>

__spectrum long long mergejoin(const Array<1, unsigned> lkey, const Array<1, int> lvalue, const Array<1, unsigned> rkey,
                               const Array<1, int> rvalue, Array<1, int> partner)
    __requires(lvalue.size() == lkey.size() && partner.size() == lkey.size() && rvalue.size() == rkey.size());

__codelet long long mergejoin(const Array<1, unsigned> lkey, const Array<1, int> lvalue, const Array<1, unsigned> rkey,
                              const Array<1, int> rvalue, Array<1, int> partner) {
  size_t i = 0, j = 0, n = lkey.size(), m = rkey.size();
  long long total = 0;
  while (i < n && j < m) {
    if (lkey[i] < rkey[j]) {
      partner[i++] = -1;
    } else if (lkey[i] > rkey[j]) {
      j++;
    } else {
      total += (long long)lvalue[i] * rvalue[j];
      partner[i] = (int)j;
      i++;
    }
  }
  while (i < n) partner[i++] = -1;
  return total;
}
