// Generated code beside the same source as C++.
#include "structs.h"

#include <cstdio>
#include <utility>
#include <vector>

namespace plain {
template <unsigned, class T> struct Array {
  T *data;
  unsigned long count;
  unsigned long size() const { return count; }
  T &operator[](unsigned long i) const { return data[i]; }
};
#define PLAIN
#include "structs.tg.cpp"
} // namespace plain

template <class To, class From> To as(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

int main() {
  for (int n : {0, 1, 2, 7, 100}) {
    std::vector<int> in;
    std::vector<Line> lines;
    std::vector<plain::Line> expected;
    for (int i = 0; i < n; ++i) {
      in.push_back((i * 37) % 23 - 9);
      Line line{};
      line.kind = static_cast<uint8_t>(i * 5);
      line.from = {static_cast<int16_t>(i), i * 0.5};
      line.to = {static_cast<int16_t>(3 - i), i * 0.25 + 1};
      line.open = i % 3 == 0;
      lines.push_back(line);
      expected.push_back(as<plain::Line>(line));
    }
    Line extra{4, {2, 3}, {5, 6}, true};
    int got = tangram_kernels::twice(in, lines, extra);
    int wanted = plain::twice({in.data(), in.size()}, {expected.data(), expected.size()}, as<plain::Line>(extra));
    bool same = got == wanted;
    for (int i = 0; i < n; ++i) {
      const Line &a = lines[i];
      const plain::Line &b = expected[i];
      same &= a.kind == b.kind && a.open == b.open && a.from.x == b.from.x && a.from.y == b.from.y &&
              a.to.x == b.to.x && a.to.y == b.to.y;
    }
    if (!same) return std::printf("%d elements: %d, and C++ gives %d\n", n, got, wanted), 1;
  }
  std::vector<Point> points{{1, 2}, {3, 4}}, others(2);
  tangram_kernels::swapped_all(points, others);
  if (others[1].x != 4 || others[1].y != 3) return std::puts("swapped_all"), 1;
  std::puts("all right");
}
