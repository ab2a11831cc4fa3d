// Blocks of containers of three and four dimensions, cut along some or all of them.
#include <tangram/tangram.h>

__spectrum void add3(const Array<3, int> a, Array<3, int> b)
    __requires(a.size(0) == b.size(0)) __requires(a.size(1) == b.size(1)) __requires(a.size(2) == b.size(2));

__codelet __tag(serial) void add3(const Array<3, int> a, Array<3, int> b) {
  for (size_t i = 0; i < b.size(0); ++i)
    for (size_t j = 0; j < b.size(1); ++j)
      for (size_t k = 0; k < b.size(2); ++k)
        b[i][j][k] += 2 * a(i, j, k);
}

__codelet __tag(blocks) void add3(const Array<3, int> a, Array<3, int> b) {
  __tunable(2, 4) unsigned p;
  __tunable(values(1, 2, 4)) unsigned q, r;
  size_t n = b.size(0), m = b.size(1), l = b.size(2), high = (n + p - 1) / p, wide = (m + q - 1) / q;
  map(add3,
      partition(a, p, sequence(0, high, n), sequence(1), sequence(high, high, n),
                q, sequence(0, wide, m), sequence(1), sequence(wide, wide, m),
                r, sequence(0, 1, r), sequence(r), sequence(l)),
      partition(b, p, sequence(0, high, n), sequence(1), sequence(high, high, n),
                q, sequence(0, wide, m), sequence(1), sequence(wide, wide, m),
                r, sequence(0, 1, r), sequence(r), sequence(l)));
}

__codelet __tag(bars) void add3(const Array<3, int> a, Array<3, int> b) {
  __tunable(2, 4) unsigned p;
  __tunable(values(1, 2, 4)) unsigned q;
  size_t n = b.size(0), m = b.size(1), high = (n + p - 1) / p;
  map(add3,
      partition(a, p, sequence(0, high, n), sequence(1), sequence(high, high, n),
                q, sequence(0, 1, q), sequence(q), sequence(m)),
      partition(b, p, sequence(0, high, n), sequence(1), sequence(high, high, n),
                q, sequence(0, 1, q), sequence(q), sequence(m)));
}

__codelet __tag(slabs) void add3(const Array<3, int> a, Array<3, int> b) {
  __tunable(2, 4) unsigned p;
  size_t n = b.size(0), high = (n + p - 1) / p;
  map(add3, partition(a, p, sequence(0, high, n), sequence(1), sequence(high, high, n)),
      partition(b, p, sequence(0, high, n), sequence(1), sequence(high, high, n)));
}

__spectrum int sum4(const Array<4, int> a);

__codelet __tag(serial) int sum4(const Array<4, int> a) {
  unsigned sum = 0;
  for (size_t i = 0; i < a.size(0); ++i)
    for (size_t j = 0; j < a.size(1); ++j)
      for (size_t k = 0; k < a.size(2); ++k)
        for (size_t l = 0; l < a.size(3); ++l)
          sum += static_cast<unsigned>(a[i][j][k][l]);
  return static_cast<int>(sum);
}

__codelet __tag(blocks) int sum4(const Array<4, int> a) {
  __tunable(1, 3) unsigned p;
  __tunable(values(1, 2)) unsigned q, r, s;
  size_t n = a.size(0), m = a.size(1), l = a.size(2), k = a.size(3), high = (n + p - 1) / p, deep = (l + r - 1) / r;
  Array<4, int> sums = map(sum4, partition(a, p, sequence(0, high, n), sequence(1), sequence(high, high, n),
                                           q, sequence(0, 1, q), sequence(q), sequence(m),
                                           r, sequence(0, deep, l), sequence(1), sequence(deep, deep, l),
                                           s, sequence(0, 1, s), sequence(s), sequence(k)));
  unsigned sum = 0;
  for (unsigned i = 0; i < p; ++i)
    for (unsigned j = 0; j < q; ++j)
      for (unsigned g = 0; g < r; ++g)
        for (unsigned h = 0; h < s; ++h)
          sum += static_cast<unsigned>(sums(i, j, g, h));
  return static_cast<int>(sum);
}

// As many parts as there are results: of what results go into, the map reads no more than the size.
__spectrum int part_sum(const Array<1, int> part);
__codelet int part_sum(const Array<1, int> part) {
  int sum = 0;
  for (size_t i = 0; i < part.size(); ++i) sum += part[i];
  return sum;
}

__spectrum void part_sums(const Array<1, int> in, Array<1, int> out) __requires(in.size() == 0 || out.size() > 0);
__codelet void part_sums(const Array<1, int> in, Array<1, int> out) {
  size_t n = in.size(), parts = out.size(0), length = parts == 0 ? 1 : (n + parts - 1) / parts;
  out = map(part_sum, partition(in, out.size(0), sequence(0, length, n), sequence(1), sequence(length, length, n)));
}
