/* C = beta * C + alpha * A * B in single precision; rows in parts for threads. */
void sgemm(int n, int m, int p, float **A, float **B, float **C, float alpha, float beta) {
  int i, j, k;

#pragma tilek kernel data(A[0:n][0:p], B[0:p][0:m], mode:r, live:in) data(C[0:n][0:m], mode:rw, live:inout) \
    num_threads(16)
  {
#pragma tilek loop tile(thread) tile[0](dynamic)
    for (i = 0; i < n; i++) {
#pragma tilek loop tile[1](dynamic)
      for (j = 0; j < m; j++) {
        C[i][j] *= beta;
        for (k = 0; k < p; k++) {
          C[i][j] += alpha * A[i][k] * B[k][j];
        }
      }
    }
  }
}
