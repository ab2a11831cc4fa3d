// Steps that tiles cannot do several of at once.
#include <tangram/tangram.h>

/// Each element waits for the one before, in the same step.
__spectrum void in_place(int steps, Array<1, int> a);
__codelet void in_place(int steps, Array<1, int> a) {
  for (int t = 0; t < steps; ++t)
    for (size_t i = 1; i < a.size(); ++i) a[i] += a[i - 1];
}

/// Steps reach across the whole container.
__spectrum void mirrored(int steps, Array<1, int> a, Array<1, int> b) __requires(b.size() == a.size());
__codelet void mirrored(int steps, Array<1, int> a, Array<1, int> b) {
  int n = a.size();
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n; ++i) b[i] = a[n - 1 - i] + 1;
    for (int i = 0; i < n; ++i) a[i] = b[i];
  }
}

/// The part that is computed grows.
__spectrum void growing(Array<1, int> a, Array<1, int> b) __requires(b.size() == a.size());
__codelet void growing(Array<1, int> a, Array<1, int> b) {
  int n = a.size();
  for (int t = 2; t < n; ++t) {
    for (int i = 1; i < t - 1; ++i) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < t - 1; ++i) a[i] = b[i];
  }
}

/// No step reads beside what it writes.
__spectrum void apart(int steps, Array<1, int> a, Array<1, int> b) __requires(b.size() == a.size());
__codelet void apart(int steps, Array<1, int> a, Array<1, int> b) {
  for (int t = 0; t < steps; ++t) {
    for (size_t i = 0; i < a.size(); ++i) b[i] = 2 * a[i];
    for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] + t;
  }
}
