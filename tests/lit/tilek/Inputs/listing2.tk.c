/* Listing 2 of the paper on TileK. */
void add(int n, int m, float **A, float b) {
  int i, j;
#pragma tilek kernel data(A[0:n][0:m], mode:rw, live:inout) num_threads(4)
  {
#pragma tilek loop tile(thread) \
                   tile[1](dynamic)
    for (i = 0; i < n; i++)
#pragma tilek loop tile[2](dynamic)
      for (j = 0; j < m; j++)
        A[i][j] += b;
  }
}
