// Cholesky's factor of a band matrix, in place: a[i][d] is the element of row i, d to the left of the diagonal.
// sizes: a=65536x513
// least: bytes 65536*513*8; operations 65536*512*512; launches 512
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void bandchol(Array<2, double> a) __requires(a.size(1) > 0);

__codelet void bandchol(Array<2, double> a) {
  int n = a.size(0), band = a.size(1) - 1;
  for (int j = 0; j < n; ++j) {
    double pivot = std::sqrt(a[j][0]);
    a[j][0] = pivot;
    int end = std::min(n - 1, j + band);
    for (int i = j + 1; i <= end; ++i) a[i][i - j] /= pivot;
    for (int i = j + 1; i <= end; ++i)
      for (int k = j + 1; k <= i; ++k) a[i][i - k] -= a[i][i - j] * a[k][k - j];
  }
}
