// A matrix made upper Hessenberg by Householder's reflections from both sides.
// sizes: a=2048x2048
// least: bytes 2048*2048*8*2; operations 2048*2048*2048*10/3; launches 8192
#include <cmath>
#include <tangram/tangram.h>

__spectrum void hessenberg(Array<2, double> a) __requires(a.size(0) == a.size(1));

__codelet void hessenberg(Array<2, double> a) {
  int n = a.size(0);
  Array<1, double> v(n);
  for (int k = 0; k < n - 2; ++k) {
    double norm = 0;
    for (int i = k + 1; i < n; ++i) norm += a[i][k] * a[i][k];
    norm = std::sqrt(norm);
    if (norm == 0) continue;
    for (int i = k + 1; i < n; ++i) v[i] = a[i][k];
    v[k + 1] += v[k + 1] > 0 ? norm : -norm;
    double square = 0;
    for (int i = k + 1; i < n; ++i) square += v[i] * v[i];
    for (int j = k; j < n; ++j) {
      double sum = 0;
      for (int i = k + 1; i < n; ++i) sum += v[i] * a[i][j];
      sum *= 2 / square;
      for (int i = k + 1; i < n; ++i) a[i][j] -= sum * v[i];
    }
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = k + 1; j < n; ++j) sum += a[i][j] * v[j];
      sum *= 2 / square;
      for (int j = k + 1; j < n; ++j) a[i][j] -= sum * v[j];
    }
  }
}
