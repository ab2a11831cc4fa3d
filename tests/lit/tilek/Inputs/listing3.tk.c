/* Listing 3 of the paper on TileK. */
void add(int n, int m, float **A, float b) {
  int i, j;
#pragma tilek kernel data(A[0:n][0:m], mode:rw, live:inout) \
                     num_gangs[0](2) num_gangs[1](2) \
                     num_workers[0](4) num_workers[1](4)
  {
#pragma tilek loop tile(gang, 0) \
                   tile(worker, 0) \
                   tile[0](dynamic)
    for (i = 0; i < n; i++)
#pragma tilek loop tile(gang, 1) \
                   tile(worker, 1) \
                   tile[1](dynamic)
      for (j = 0; j < m; j++)
        A[i][j] += b;
  }
}
