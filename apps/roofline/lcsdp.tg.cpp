// The length of the longest common subsequence of two strings, with two rows.
// sizes: a=16384 b=16384
// least: bytes 32768; operations 16384*16384*3; launches 64
#include <algorithm>
#include <tangram/tangram.h>

__spectrum int lcs(const Array<1, unsigned char> a, const Array<1, unsigned char> b);

__codelet int lcs(const Array<1, unsigned char> a, const Array<1, unsigned char> b) {
  int n = a.size(), m = b.size();
  Array<1, int> before(m + 1), now(m + 1);
  for (int j = 0; j <= m; ++j) before[j] = now[j] = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) now[j + 1] = a[i] == b[j] ? before[j] + 1 : std::max(before[j + 1], now[j]);
    for (int j = 0; j <= m; ++j) before[j] = now[j];
  }
  return before[m];
}
