// Scalars in which an iteration leaves for the next one what that can find out by itself: the loops are parallel.
#include <tangram/tangram.h>
__spectrum void deltas(int start, const Array<1, int> in, Array<1, int> out) __requires(out.size() == in.size());
__codelet void deltas(int start, const Array<1, int> in, Array<1, int> out) {
  int before = start;
  for (size_t i = 0; i < in.size(); ++i) {
    int now = in[i] * 3;
    out[i] = now - before;
    before = now + 1;
  }
}
__spectrum void window(const Array<1, int> in, Array<1, int> out) __requires(out.size() == in.size());
__codelet void window(const Array<1, int> in, Array<1, int> out) {
  int n = in.size();
  int a = 1, b = 2, c = 3;
  for (int i = 2; i < n - 1; i += 2) {
    out[i] = a + 2 * b + 4 * c;
    a = b;
    b = c;
    c = in[i + 1];
  }
}
__spectrum void starts(const Array<1, int> in, Array<1, int> out, Array<1, int> many)
    __requires(out.size() == in.size() && many.size() == 1);
__codelet void starts(const Array<1, int> in, Array<1, int> out, Array<1, int> many) {
  int n = 0;
  int last = -1;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] % 4 != last) out[n++] = i;
    last = in[i] % 4;
  }
  many[0] = n;
}
__spectrum void rows(const Array<2, int> in, Array<2, int> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));
__codelet void rows(const Array<2, int> in, Array<2, int> out) {
  for (size_t r = 0; r < in.size(0); ++r) {
    int before = r;
    for (size_t i = 0; i < in.size(1); ++i) {
      out[r][i] = in[r][i] ^ before;
      before = in[r][i];
    }
  }
}
