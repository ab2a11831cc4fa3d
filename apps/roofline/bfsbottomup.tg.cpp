// Breadth-first search from the bottom up: who has no parent looks for a neighbour in the frontier, a bitmap, and stops
// at the first. The number of levels is returned.
// sizes: row=4194305 column=67108864
// least: bytes 67108864*4+4194304*(4+8)*8; launches 8
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int bfsbottomup(int source, const Array<1, int> row, const Array<1, int> column, Array<1, int> parent)
    __requires(row.size() == parent.size() + 1);

__codelet int bfsbottomup(int source, const Array<1, int> row, const Array<1, int> column, Array<1, int> parent) {
  int n = parent.size(), words = (n + 31) / 32, level = 0, found = 1;
  Array<1, uint32_t> frontier(words), next(words);
  for (int w = 0; w < words; ++w) frontier[w] = 0;
  for (int v = 0; v < n; ++v) parent[v] = -1;
  parent[source] = source;
  frontier[source / 32] |= 1u << source % 32;
  while (found > 0) {
    found = 0;
    for (int w = 0; w < words; ++w) next[w] = 0;
    for (int v = 0; v < n; ++v) {
      if (parent[v] >= 0) continue;
      for (int e = row[v]; e < row[v + 1]; ++e) {
        int u = column[e];
        if (frontier[u / 32] >> u % 32 & 1) {
          parent[v] = u;
          next[v / 32] |= 1u << v % 32;
          ++found;
          break;
        }
      }
    }
    for (int w = 0; w < words; ++w) frontier[w] = next[w];
    ++level;
  }
  return level;
}
