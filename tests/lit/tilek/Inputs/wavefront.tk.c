/* Rows wait for each other: threads must not have columns. */
void wave(int n, int m, float **A) {
#pragma tilek kernel data(A[0:n][0:m], mode:rw, live:inout)
  {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < m - 1; j++)
        A[i][j] = A[i - 1][j + 1];
  }
}
