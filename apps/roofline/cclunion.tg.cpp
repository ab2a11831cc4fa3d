// Connected components of a picture by union and find: labels are the least index of a component; how many there are is
// returned.
// sizes: in=8192x8192
// least: bytes 8192*8192*(1+4*3); operations 8192*8192*20; launches 3
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int cclunion(const Array<2, uint8_t> in, Array<1, int> label) __requires(label.size() == in.size());

int find(const Array<1, int> &parent, int p) {
  while (parent[p] != p) p = parent[p];
  return p;
}

void unite(Array<1, int> &parent, int a, int b) {
  a = find(parent, a);
  b = find(parent, b);
  if (a < b)
    parent[b] = a;
  else if (b < a)
    parent[a] = b;
}

__codelet int cclunion(const Array<2, uint8_t> in, Array<1, int> label) {
  int rows = in.size(0), columns = in.size(1);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) label[y * columns + x] = in[y][x] ? y * columns + x : -1;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      if (!in[y][x]) continue;
      if (x > 0 && in[y][x - 1]) unite(label, y * columns + x, y * columns + x - 1);
      if (y > 0 && in[y - 1][x]) unite(label, y * columns + x, (y - 1) * columns + x);
    }
  int count = 0;
  for (int p = 0; p < rows * columns; ++p) {
    if (label[p] < 0) continue;
    if (label[p] == p) ++count;
    label[p] = find(label, p);
  }
  return count;
}
