// jacobi-1d of PolyBench: the mean of three neighbours, over and over, from one array to another and back.
#include <tangram/tangram.h>

__spectrum void jacobi1d(int steps, Array<1, double> a, Array<1, double> b) __requires(b.size() == a.size());

__codelet void jacobi1d(int steps, Array<1, double> a, Array<1, double> b) {
  int n = a.size();
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i) b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; ++i) a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
  }
}
