// C++ with directives, and much that no kernel needs.
#include <cstdio>
#include <vector>

template <class T> T twice(T x) { return x + x; }

// Where the elements are, the caller knows.
void scattered(int n, int m, const int *at, float *A) {
#pragma tilek kernel data(at[0:n], mode:r, live:in) data(A[0:m], mode:rw, live:inout) num_threads(4)
  {
    const float one = 1;
#pragma tilek loop tile(thread) tile(dynamic)
    for (int i = 0; i < n; ++i) {
      A[at[i]] = twice(A[at[i]]) + one;
    }
  }
}

// Their number may be computed.
void plain(int n, float *A) {
  // A directive may have comments beside it.
#pragma tilek kernel data(A[0:n], mode:rw, live:inout) /* parts */   num_threads(n / 2 + 1)
  {
    for (int i = 0; i < n; ++i) A[i] += 1;
  }
}

int main() {
  std::vector<float> a(10);
  plain(10, a.data());
  std::printf("%g\n", a[0]);
}
