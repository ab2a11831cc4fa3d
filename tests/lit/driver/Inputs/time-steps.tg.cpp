// Steps of time by a second container: which may be alternated, and which look alike but may not.
#include <tangram/tangram.h>

// The border stays as it is.
__spectrum void border(unsigned steps, Array<2, int> a);
__codelet void border(unsigned steps, Array<2, int> a) {
  size_t n = a.size(0), m = a.size(1);
  Array<2, int> next(n, m);
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 1; i + 1 < n; ++i)
      for (size_t j = 1; j + 1 < m; ++j) next[i][j] = a[i - 1][j] - a[i][j + 1] + int(t);
    for (size_t i = 1; i + 1 < n; ++i)
      for (size_t j = 1; j + 1 < m; ++j) a[i][j] = next[i][j];
  }
}

// A step begins with the copy; steps count by three.
__spectrum void rows(const Array<2, int> cost, Array<1, int> least) __requires(cost.size(1) == least.size());
__codelet void rows(const Array<2, int> cost, Array<1, int> least) {
  Array<1, int> above(cost.size(1));
  for (size_t i = 2; i < cost.size(0); i += 3) {
    for (size_t j = 0; j < least.size(); ++j) above[j] = least[j];
    for (size_t j = 1; j < least.size(); ++j)
      least[j] = cost[i][j] + (above[j - 1] < above[j] ? above[j - 1] : above[j]);
  }
}

// Fewer elements with each step: those of the step before are kept.
__spectrum void fewer(unsigned steps, Array<1, int> a);
__codelet void fewer(unsigned steps, Array<1, int> a) {
  Array<1, int> next(a.size());
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = t; i + 1 < a.size(); ++i) next[i] = a[i] + a[i + 1];
    for (size_t i = t; i + 1 < a.size(); ++i) a[i] = next[i];
  }
}

// Not all that is written is copied.
__spectrum void half(unsigned steps, Array<1, int> a);
__codelet void half(unsigned steps, Array<1, int> a) {
  Array<1, int> next(a.size());
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 0; i + 1 < a.size(); ++i) next[i] = a[i] + a[i + 1];
    for (size_t i = 0; i < a.size() / 2; ++i) a[i] = next[i];
  }
}

// What the last step computed is asked for behind the loop.
__spectrum void kept(unsigned steps, Array<1, int> a, Array<1, int> out) __requires(a.size() == out.size());
__codelet void kept(unsigned steps, Array<1, int> a, Array<1, int> out) {
  Array<1, int> next(a.size());
  for (size_t i = 0; i < a.size(); ++i) next[i] = 0;
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 0; i + 1 < a.size(); ++i) next[i] = a[i] + a[i + 1];
    for (size_t i = 0; i + 1 < a.size(); ++i) a[i] = next[i];
  }
  for (size_t i = 0; i < a.size(); ++i) out[i] = next[i];
}
