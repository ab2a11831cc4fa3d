void add(int n, float *A, float b) {
  int i, k;
#pragma tilek kernel data(A[0:n], mode:rw, live:inout)
  {
    k = 0;
    do {
#pragma tilek loop tile(dynamic) tile(static, 8)
      for (i = 0; i < n; i++) A[i] += b;
      k++;
    } while (k < 3);
    switch (n % 2) {
    case 0:
#pragma tilek loop tile(dynamic) tile(static, 4)
      for (i = 0; i < n; i++) A[i] *= 2;
      break;
    default: break;
    }
  }
}
