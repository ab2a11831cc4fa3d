/* 2-D convolution with coefficients of the source, as the paper on TileK prints it: A[i-1][j+1] stands there twice. Rows and
   columns are cut up for a machine of 4 x 4 gangs with 16 x 16 workers each. */
void conv2d(int n, int m, float **A, float **B) {
  int i, j;

#pragma tilek kernel data(A[0:n][0:m], mode:r, live:in) data(B[0:n][0:m], mode:rw, live:inout) \
    num_gangs[0](4) num_gangs[1](4) num_workers[0](16) num_workers[1](16)
  {
#pragma tilek loop tile(gang, 1) tile[0](dynamic) tile(worker, 1)
    for (i = 1; i < n - 1; i++)
#pragma tilek loop tile(gang, 0) tile[1](dynamic) tile(worker, 0)
      for (j = 1; j < m - 1; j++)
        B[i][j] = 2.34 * A[i - 1][j - 1] + 4.64 * A[i - 1][j + 1] - 7.93 * A[i - 1][j] + 1.26 * A[i][j - 1] +
                  0.64 * A[i + 1][j] + 1.34 * A[i][j + 1] - 2.17 * A[i - 1][j + 1] + 7.22 * A[i + 1][j - 1] -
                  9.59 * A[i][j];
  }
}
