/* c = a + b */
void added(int n, int *a, int *b, int *c) {
  int i;
#pragma tilek kernel data(a[0:n], b[0:n], mode:r, live:in) data(c[0:n], mode:rw, live:inout) num_threads(4)
  {
#pragma tilek loop tile(thread) tile[0](dynamic)
    for (i = 0; i < n; i++) c[i] = a[i] + b[i];
  }
}
