// The least vertex that each vertex of a graph leads to, by labels that pass along edges until none changes: the
// connected components, where edges go both ways. How many vertices keep their own is returned.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum unsigned components(const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, unsigned> label)
    __requires(row.size() == label.size() + 1);

__codelet unsigned components(const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, unsigned> label) {
  size_t n = label.size();
  Array<1, unsigned> next(n);
  for (size_t v = 0; v < n; ++v) label[v] = v;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t v = 0; v < n; ++v) {
      unsigned least = label[v];
      for (unsigned k = row[v]; k < row[v + 1]; ++k) least = std::min(least, label[column[k]]);
      next[v] = least;
      if (least != label[v]) changed = true;
    }
    for (size_t v = 0; v < n; ++v) label[v] = next[v];
  }
  unsigned own = 0;
  for (size_t v = 0; v < n; ++v)
    if (label[v] == v) ++own;
  return own;
}
