// The Jaccard similarity of both ends of each edge of a graph: neighbours in common over neighbours of either, lists sorted.
// sizes: row=1048577 column=16777216 similarity=16777216
// least: bytes 1048577*4+16777216*8; operations 16777216*32*3; launches 1
#include <tangram/tangram.h>

__spectrum void jaccard(const Array<1, int> row, const Array<1, int> column, Array<1, float> similarity)
    __requires(similarity.size() == column.size());

__codelet void jaccard(const Array<1, int> row, const Array<1, int> column, Array<1, float> similarity) {
  int n = (int)row.size() - 1;
  for (int u = 0; u < n; u++) {
    for (int e = row[u]; e < row[u + 1]; e++) {
      int v = column[e];
      int i = row[u], j = row[v], iend = row[u + 1], jend = row[v + 1];
      int common = 0;
      while (i < iend && j < jend) {
        int a = column[i], b = column[j];
        if (a == b) {
          common++;
          i++;
          j++;
        } else if (a < b)
          i++;
        else
          j++;
      }
      int either = (iend - row[u]) + (jend - row[v]) - common;
      similarity[e] = either > 0 ? (float)common / either : 0;
    }
  }
}
