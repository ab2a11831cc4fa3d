// Colours of a graph's vertices by Jones and Plassmann: in each round those that are above all neighbours without a
// colour take the least one that no neighbour has. The number of rounds is returned.
// sizes: row=2097153 column=33554432
// least: bytes 33554432*4*8+2097152*12; launches 16
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int graphcolor(const Array<1, int> row, const Array<1, int> column, Array<1, int> color)
    __requires(row.size() == color.size() + 1);

uint32_t priority(uint32_t v) {
  v = (v ^ 61) ^ (v >> 16);
  v *= 9;
  v ^= v >> 4;
  v *= 0x27d4eb2d;
  return v ^ v >> 15;
}

bool above(int u, int v) {
  uint32_t a = priority(u), b = priority(v);
  return a > b || (a == b && u > v);
}

__codelet int graphcolor(const Array<1, int> row, const Array<1, int> column, Array<1, int> color) {
  int n = color.size(), left = n, rounds = 0;
  Array<1, int> next(n);
  for (int v = 0; v < n; ++v) color[v] = -1;
  while (left > 0) {
    for (int v = 0; v < n; ++v) {
      next[v] = color[v];
      if (color[v] >= 0) continue;
      bool highest = true;
      uint64_t taken = 0;
      for (int e = row[v]; e < row[v + 1]; ++e) {
        int u = column[e];
        if (u == v) continue;
        if (color[u] >= 0) {
          if (color[u] < 64) taken |= uint64_t(1) << color[u];
        } else if (above(u, v)) {
          highest = false;
          break;
        }
      }
      if (!highest) continue;
      int c = 0;
      while (c < 63 && (taken >> c & 1)) ++c;
      next[v] = c;
    }
    for (int v = 0; v < n; ++v)
      if (next[v] != color[v]) {
        color[v] = next[v];
        --left;
      }
    ++rounds;
  }
  return rounds;
}
