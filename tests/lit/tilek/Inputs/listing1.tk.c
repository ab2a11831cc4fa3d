/* Listing 1 of the paper on TileK, with the counts by which it has the order that the paper prints for n = 6, m = 8. */
void add(int n, int m, float **A, float b) {
  int i, j;
#pragma tilek kernel data(A[0:n][0:m], \
                          mode:rw, \
                          live:inout)
  {
#pragma tilek loop tile[0](static, 3) \
                   tile[2](dynamic)
    for (i = 0; i < n; i++)
#pragma tilek loop tile[1](static, 2) \
                   tile[3](dynamic)
      for (j = 0; j < m; j++)
        A[i][j] += b;
  }
}
