// Tridiagonal systems of equations, one a row, by elimination down and substitution up (the algorithm of Thomas).
#include <tangram/tangram.h>

__spectrum void thomas(const Array<2, float> lower, const Array<2, float> diagonal, const Array<2, float> upper,
                       const Array<2, float> right, Array<2, float> x)
    __requires(lower.size(0) == x.size(0) && lower.size(1) == x.size(1))
        __requires(diagonal.size(0) == x.size(0) && diagonal.size(1) == x.size(1))
            __requires(upper.size(0) == x.size(0) && upper.size(1) == x.size(1))
                __requires(right.size(0) == x.size(0) && right.size(1) == x.size(1)) __requires(x.size(1) > 0);

__codelet void thomas(const Array<2, float> lower, const Array<2, float> diagonal, const Array<2, float> upper,
                      const Array<2, float> right, Array<2, float> x) {
  size_t n = x.size(1);
  for (size_t s = 0; s < x.size(0); ++s) {
    Array<1, float> ratio(n);
    ratio[0] = upper[s][0] / diagonal[s][0];
    x[s][0] = right[s][0] / diagonal[s][0];
    for (size_t i = 1; i < n; ++i) {
      float pivot = diagonal[s][i] - lower[s][i] * ratio[i - 1];
      ratio[i] = upper[s][i] / pivot;
      x[s][i] = (right[s][i] - lower[s][i] * x[s][i - 1]) / pivot;
    }
    for (size_t i = n - 1; i > 0; --i) x[s][i - 1] -= ratio[i - 1] * x[s][i];
  }
}
