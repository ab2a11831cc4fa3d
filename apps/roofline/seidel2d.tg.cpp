// PolyBench seidel-2d.
// sizes: a=4096x4096 steps=16
// least: bytes 4096*4096*8*4; operations 16*4096*4096*9; launches 32
#include <tangram/tangram.h>

__spectrum void seidel2d(int steps, Array<2, float> a) __requires(a.size(0) == a.size(1));

__codelet void seidel2d(int steps, Array<2, float> a) {
  int n = a.size(0);
  for (int t = 0; t < steps; ++t)
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                   a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                  9.0f;
}
