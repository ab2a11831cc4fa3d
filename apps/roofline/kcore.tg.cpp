// The k-core of a graph: vertices of a smaller degree are taken away until there is none.
// sizes: row=1048577 column=33554432 degree=1048576
// least: bytes 33554432*8+1048576*16; launches 32
#include <tangram/tangram.h>

__spectrum unsigned kcore(int k, const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, int> degree,
                          Array<1, unsigned char> alive)
    __requires(row.size() == degree.size() + 1 && alive.size() == degree.size());

__codelet unsigned kcore(int k, const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, int> degree,
                         Array<1, unsigned char> alive) {
  size_t n = degree.size();
  Array<1, unsigned char> gone(n);
  for (size_t v = 0; v < n; ++v) {
    degree[v] = row[v + 1] - row[v];
    alive[v] = 1;
  }
  unsigned left = n, removed = 1;
  while (removed > 0) {
    removed = 0;
    for (size_t v = 0; v < n; ++v) {
      gone[v] = alive[v] && degree[v] < k;
      if (gone[v]) {
        alive[v] = 0;
        ++removed;
      }
    }
    for (size_t v = 0; v < n; ++v)
      if (gone[v])
        for (unsigned e = row[v]; e < row[v + 1]; ++e) degree[column[e]] -= 1;
    left -= removed;
  }
  return left;
}
