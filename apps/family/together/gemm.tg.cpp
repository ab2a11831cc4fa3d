// C = alpha A B + beta C in three languages: loops here, ../hidp/gemm.hidp and ../tilek/sgemm.tk.c, whose spectrums
// have signatures of their own. All codelets compete in one spectrum.
#include <tangram/tangram.h>

__spectrum void GEMM(float alpha, float beta, const Array<2, float> a, const Array<2, float> b, Array<2, float> c);
__spectrum void sgemm(int rows, int columns, int depth, const Array<2, float> a, const Array<2, float> b,
                      Array<2, float> c, float alpha, float beta);

__spectrum void gemm(float alpha, float beta, const Array<2, float> a, const Array<2, float> b, Array<2, float> c)
    __requires(c.size(0) == a.size(0)) __requires(c.size(1) == b.size(1)) __requires(a.size(1) == b.size(0));

__codelet __tag(loops) void gemm(float alpha, float beta, const Array<2, float> a, const Array<2, float> b,
                                 Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += a[i][k] * b[k][j];
      c[i][j] = alpha * sum + beta * c[i][j];
    }
}

__codelet __tag(hidp) void gemm(float alpha, float beta, const Array<2, float> a, const Array<2, float> b,
                                Array<2, float> c) {
  GEMM(alpha, beta, a, b, c);
}

// The language counts in int.
__codelet __tag(tilek) void gemm(float alpha, float beta, const Array<2, float> a, const Array<2, float> b,
                                 Array<2, float> c) __requires(c.size(0) <= 2147483647)
    __requires(c.size(1) <= 2147483647) __requires(a.size(1) <= 2147483647) {
  sgemm(c.size(0), c.size(1), a.size(1), a, b, c, alpha, beta);
}
