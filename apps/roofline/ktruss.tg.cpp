// The k-truss of a graph: edges that are in fewer than k - 2 triangles are removed until none is. Neighbours are
// sorted, edges go both ways; how many are left is returned.
// sizes: row=1048577 column=16777216 k=4
// least: bytes 16777216*(4*16+1)*4; operations 16777216*32*4; launches 8
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int ktruss(int k, const Array<1, int> row, const Array<1, int> column, Array<1, uint8_t> alive)
    __requires(alive.size() == column.size() && row.size() > 0);

__codelet int ktruss(int k, const Array<1, int> row, const Array<1, int> column, Array<1, uint8_t> alive) {
  int n = row.size() - 1, edges = column.size();
  Array<1, int> support(edges);
  for (int e = 0; e < edges; ++e) alive[e] = 1;
  int left = edges;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int u = 0; u < n; ++u)
      for (int e = row[u]; e < row[u + 1]; ++e) {
        support[e] = 0;
        if (!alive[e]) continue;
        int v = column[e], a = row[u], b = row[v], common = 0;
        while (a < row[u + 1] && b < row[v + 1]) {
          if (column[a] < column[b])
            ++a;
          else if (column[b] < column[a])
            ++b;
          else {
            if (alive[a] && alive[b]) ++common;
            ++a;
            ++b;
          }
        }
        support[e] = common;
      }
    for (int e = 0; e < edges; ++e)
      if (alive[e] && support[e] < k - 2) {
        alive[e] = 0;
        --left;
        changed = true;
      }
  }
  return left;
}
