// c = a + b in three languages.
#include <tangram/tangram.h>

__spectrum void ADD(const Array<1, int> a, const Array<1, int> b, Array<1, int> c);
__spectrum void added(int n, const Array<1, int> a, const Array<1, int> b, Array<1, int> c);

__spectrum void add(const Array<1, int> a, const Array<1, int> b, Array<1, int> c) __requires(a.size() == c.size())
    __requires(b.size() == c.size());

__codelet __tag(loops) void add(const Array<1, int> a, const Array<1, int> b, Array<1, int> c) {
  for (size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
}

__codelet __tag(hidp) void add(const Array<1, int> a, const Array<1, int> b, Array<1, int> c) { ADD(a, b, c); }

__codelet __tag(tilek) void add(const Array<1, int> a, const Array<1, int> b, Array<1, int> c)
    __requires(c.size() <= 2147483647) {
  added(c.size(), a, b, c);
}
