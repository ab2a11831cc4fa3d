// Structs by value, in registers and in memory.
#include <tangram/tangram.h>

struct Pair {
  float a, b;
};
struct Mixed {
  short n;
  double x;
};
struct Three {
  float a, b;
  int c;
};
struct Large {
  double a, b;
  int c;
};

__spectrum double weighted(Pair p, double x, Mixed m, Three t, Large l, const Array<1, int> in);
__codelet double weighted(Pair p, double x, Mixed m, Three t, Large l, const Array<1, int> in) {
  double sum = 0;
  for (unsigned i = 0; i < in.size(); ++i) sum += in[i];
  return sum + p.a - p.b + 2 * x + 3 * m.n - m.x + 5 * t.a + 7 * t.b + 11 * t.c + 13 * l.a - 17 * l.b + 19 * l.c;
}

// More of them than there are registers: the fifth word of integers is the last that is left for a struct of two.
__spectrum long many(long a, long b, long c, long d, long e, Mixed m, Three t, Mixed n, short last);
__codelet long many(long a, long b, long c, long d, long e, Mixed m, Three t, Mixed n, short last) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * m.n + 7 * (long)m.x + 8 * (long)t.a + 9 * t.c + 10 * n.n +
         11 * (long)n.x + 12 * last;
}
