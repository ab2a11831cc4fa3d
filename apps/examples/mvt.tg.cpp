// mvt of PolyBench: a matrix and its transpose, each times a vector.
#include <tangram/tangram.h>

__spectrum void mvt(const Array<2, double> a, const Array<1, double> y1, const Array<1, double> y2,
                    Array<1, double> x1, Array<1, double> x2)
    __requires(a.size(0) == x1.size() && a.size(1) == y1.size())
    __requires(a.size(1) == x2.size() && a.size(0) == y2.size());

__codelet void mvt(const Array<2, double> a, const Array<1, double> y1, const Array<1, double> y2,
                   Array<1, double> x1, Array<1, double> x2) {
  for (size_t i = 0; i < x1.size(); ++i)
    for (size_t j = 0; j < y1.size(); ++j) x1[i] += a[i][j] * y1[j];
  for (size_t i = 0; i < x2.size(); ++i)
    for (size_t j = 0; j < y2.size(); ++j) x2[i] += a[j][i] * y2[j];
}
