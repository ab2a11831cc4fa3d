/* C = beta * C + alpha * A * B' + alpha * B * A': all of C, as the paper on TileK has it. Two loops in tiles of their own,
   which go around each other. */
void syr2k(int n, int m, float **A, float **B, float **C, float alpha, float beta) {
  int i, j, k;

#pragma tilek kernel data(A[0:n][0:m], B[0:n][0:m], mode:r, live:in) data(C[0:n][0:n], mode:rw, live:inout)
  {
#pragma tilek loop tile[0](dynamic) tile[2](static, 8)
    for (i = 0; i < n; i++) {
#pragma tilek loop tile[1](dynamic) tile[3](static, 32)
      for (j = 0; j < n; j++) {
        C[i][j] *= beta;
        for (k = 0; k < m; k++) {
          C[i][j] += alpha * A[i][k] * B[j][k];
          C[i][j] += alpha * B[i][k] * A[j][k];
        }
      }
    }
  }
}
