/* Multiresolution analysis (MADNESS): rows of A, times C4, in their place. Of the two loops that are cut up the inner one
   holds several: they run one after the other, whoever runs them. */
void doitgen(int R, int Q, int P, float ***A, float ***sum, float **C4) {
  int r, q, p, s;

#pragma tilek kernel data(A[0:R][0:Q][0:P], sum[0:R][0:Q][0:P], mode:rw, live:inout) \
    data(C4[0:P][0:P], mode:r, live:in) num_gangs[0](16) num_workers[0](256)
  {
#pragma tilek loop tile(gang, 0) tile[0](dynamic)
    for (r = 0; r < R; r++) {
#pragma tilek loop tile[1](dynamic) tile(worker, 0)
      for (q = 0; q < Q; q++) {
        for (p = 0; p < P; p++) {
          sum[r][q][p] = 0;
          for (s = 0; s < P; s++)
            sum[r][q][p] += A[r][q][s] * C4[s][p];
        }
        for (p = 0; p < P; p++)
          A[r][q][p] = sum[r][q][p];
      }
    }
  }
}
