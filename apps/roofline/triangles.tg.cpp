// Triangles of a graph, by merging sorted lists of neighbours.
// sizes: row=1048577 column=16777216
// least: bytes 16777216*4*16; operations 16777216*32*4
#include <tangram/tangram.h>

__spectrum unsigned long long triangles(const Array<1, unsigned> row, const Array<1, unsigned> column)
    __requires(row.size() > 1);

__codelet unsigned long long triangles(const Array<1, unsigned> row, const Array<1, unsigned> column) {
  unsigned long long count = 0;
  unsigned n = row.size() - 1;
  for (unsigned u = 0; u < n; ++u)
    for (unsigned e = row[u]; e < row[u + 1]; ++e) {
      unsigned v = column[e];
      if (v <= u || v >= n) continue;
      unsigned i = row[u], j = row[v];
      while (i < row[u + 1] && j < row[v + 1]) {
        if (column[i] == column[j]) {
          if (column[i] > v) ++count;
          ++i;
          ++j;
        } else if (column[i] < column[j])
          ++i;
        else
          ++j;
      }
    }
  return count;
}
