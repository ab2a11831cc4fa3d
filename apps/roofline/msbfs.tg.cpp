// Breadth-first search from 64 sources at once, a bit each: how many vertices are reached, and the sum of their distances.
// sizes: row=2097153 column=33554432 seen=2097152 source=64
// least: bytes 6*(33554432*4+2097152*(4+8+8)); operations 6*33554432*2; launches 6
#include <tangram/tangram.h>

typedef unsigned long long u64;

__spectrum u64 msbfs(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, unsigned> source,
                     Array<1, u64> seen)
    __requires(row.size() == seen.size() + 1 && source.size() <= 64);

__codelet u64 msbfs(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, unsigned> source,
                    Array<1, u64> seen) {
  size_t n = seen.size();
  Array<1, u64> visit(n);
  Array<1, u64> next(n);
  for (size_t v = 0; v < n; ++v) seen[v] = visit[v] = 0;
  for (size_t s = 0; s < source.size(); ++s) {
    visit[source[s]] |= 1ull << s;
    seen[source[s]] |= 1ull << s;
  }
  u64 total = 0;
  int level = 0;
  bool any;
  do {
    any = false;
    ++level;
    for (size_t v = 0; v < n; ++v) {
      u64 mask = 0;
      for (unsigned e = row[v]; e < row[v + 1]; ++e) mask |= visit[column[e]];
      next[v] = mask & ~seen[v];
      if (next[v]) any = true;
    }
    for (size_t v = 0; v < n; ++v) {
      seen[v] |= next[v];
      visit[v] = next[v];
      for (u64 m = next[v]; m; m &= m - 1) total += level;
    }
  } while (any);
  return total;
}
