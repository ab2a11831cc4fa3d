// C = A B, row-major, of matrices in containers of one dimension.
#include <tangram/tangram.h>

__spectrum void flatgemm(int m, int n, int k, const Array<1, float> a, const Array<1, float> b, Array<1, float> c)
    __requires(a.size() == m * k && b.size() == k * n && c.size() == m * n);

__codelet void flatgemm(int m, int n, int k, const Array<1, float> a, const Array<1, float> b, Array<1, float> c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}
