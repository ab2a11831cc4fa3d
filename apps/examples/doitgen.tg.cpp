// doitgen of PolyBench: each row of A, times C4, in its place.
#include <tangram/tangram.h>

__spectrum void doitgen(Array<3, double> a, const Array<2, double> c4)
    __requires(a.size(2) == c4.size(0) && a.size(2) == c4.size(1));

__codelet void doitgen(Array<3, double> a, const Array<2, double> c4) {
  size_t n = a.size(2);
  for (size_t r = 0; r < a.size(0); ++r)
    for (size_t q = 0; q < a.size(1); ++q) {
      Array<1, double> sum(n);
      for (size_t p = 0; p < n; ++p) {
        sum[p] = 0;
        for (size_t s = 0; s < n; ++s) sum[p] += a[r][q][s] * c4[s][p];
      }
      for (size_t p = 0; p < n; ++p) a[r][q][p] = sum[p];
    }
}
