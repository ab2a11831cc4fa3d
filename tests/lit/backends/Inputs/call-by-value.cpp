// Whether structs by value arrive as they were passed.
#include "by-value.h"

#include <cstdio>

int main() {
  const int in[] = {1, 2, 3};
  Pair p{1.5f, 2.25f};
  Mixed m{-3, 4.5}, n{-7, 8};
  Three t{0.5f, 6.0f, -7};
  Large l{1.25, -2.5, 9};
  double x = 0.125, result = 0;
  double expected =
      6 + p.a - p.b + 2 * x + 3 * m.n - m.x + 5 * t.a + 7 * t.b + 11 * t.c + 13 * l.a - 17 * l.b + 19 * l.c;
  if (weighted(p, x, m, t, l, in, 3, &result) != 0 || result != expected)
    return std::printf("%g, not %g\n", result, expected), 1;
  int64_t sum = 0,
          right = 1 + 2 * 2 + 3 * 3 + 4 * 4 + 5 * 5 + 6 * -3 + 7 * 4 + 8 * 0 + 9 * -7 + 10 * -7 + 11 * 8 + 12 * -5;
  if (many(1, 2, 3, 4, 5, m, t, n, -5, &sum) != 0 || sum != right) return std::printf("%lld\n", (long long)sum), 1;
  std::puts("all right");
}
