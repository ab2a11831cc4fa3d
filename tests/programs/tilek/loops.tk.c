/* Loops of all kinds with TileK's directives: up and down, by other steps than one, cut up by numbers that divide nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 3

/* Down, and every other column up to and with the last. */
void there_and_back(int n, int m, float **A) {
  int i, j;
#pragma tilek kernel data(A[0:n][0:m], mode:rw, live:inout) num_threads(5)
  {
#pragma tilek loop tile[0](static, 2) tile(thread) tile[2](dynamic) tile[3](static, COLUMNS)
    for (i = n - 1; i >= 0; i--)
#pragma tilek loop tile[1](dynamic) tile[4](static, 4)
      for (j = 1; j <= m - 1; j += 2)
        A[i][j] = A[i][j] * 2 + i - j;
  }
}

/* Inner pieces go around outer ones, and the step is the caller's. */
void stepped(int n, int step, int *A) {
  int i;
#pragma tilek kernel data(A[0:n], mode:rw, live:inout)
  {
#pragma tilek loop tile[2](static, 3) tile[1](dynamic) tile[0](static, 4)
    for (i = 2; i < n; i += (step & 3) + 1)
      A[i] += i;
  }
}

/* Enough turns for 64 elements: of more, the loops as they are. */
void few(int n, float *A) {
#pragma tilek kernel data(A[0:n], mode:rw, live:inout) num_gangs(4) num_workers(16)
  {
#pragma tilek loop tile(gang) tile(worker)
    for (int i = 0; i < n; i++) {
      if (A[i] < 0)
        continue;
      A[i] = 1 / (A[i] + 1);
    }
  }
}

/* As many threads as the caller wants, at least one; a temporary that is declared around the loops. */
void smoothed(int n, int m, int threads, double A[n][m], double B[n][m]) {
  int i, j;
  double t;
#pragma tilek kernel data(A[0:n][0:m], mode:r, live:in) data(B[0:n][0:m], mode:rw, live:inout) num_threads(threads % 7)
  {
#pragma tilek loop tile[1](dynamic) tile(thread)
    for (i = 1; i < n - 1; i++)
#pragma tilek loop tile[0](dynamic)
      for (j = 0; j < m; j++) {
        t = A[i - 1][j] + A[i + 1][j];
        B[i][j] = t / 2;
      }
  }
}

/* The second loop reads what the first one writes: two maps, one after the other. */
void twice(int n, float *A, float *B) {
#pragma tilek kernel data(A[0:n], B[0:n], mode:rw, live:inout) num_threads(3)
  {
#pragma tilek loop tile(thread) tile(dynamic)
    for (int i = 0; i < n; ++i)
      B[i] = A[i] + 1;
#pragma tilek loop tile(dynamic) tile(thread)
    for (int i = 0; i < n; ++i)
      A[i] = B[n - 1 - i];
  }
}

/* Rows of a triangle; sqrt is that of double, as C has it. */
void triangle(int n, float **A) {
  int i, j;
#pragma tilek kernel data(A[0:n][0:n], mode:rw, live:inout) num_gangs[0](2) num_workers[0](4)
  {
#pragma tilek loop tile(gang, 0) tile[0](dynamic) tile(worker, 0)
    for (i = 0; i < n; i++)
#pragma tilek loop tile[1](dynamic) tile[2](static, 5)
      for (j = i; n > j; j++)
        A[i][j] += sqrt(abs(i - j)) + sqrt(A[j][i] * A[j][i]) * 0;
  }
}

/* What calls the kernels is no concern of Tangram's. */
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  float *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
  twice(n, a, b);
  printf("%g\n", a[0]);
  return 0;
}
