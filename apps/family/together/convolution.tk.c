/* Rows of the output for threads, columns in tiles. */
void tiles(int n, int m, int p, int q, float **in, float **weights, float **out) {
  int i, j, k, l;

#pragma tilek kernel data(in[0:n + p][0:m + q], weights[0:p][0:q], mode:r, live:in) \
    data(out[0:n][0:m], mode:rw, live:inout) num_threads(16)
  {
#pragma tilek loop tile(thread) tile[0](dynamic)
    for (i = 0; i < n; i++) {
#pragma tilek loop tile[1](static, 64)
      for (j = 0; j < m; j++) {
        out[i][j] = 0;
        for (k = 0; k < p; k++)
          for (l = 0; l < q; l++) out[i][j] += weights[k][l] * in[i + k][j + l];
      }
    }
  }
}
