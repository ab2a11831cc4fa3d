// What C++ itself computes, and the compiler with it: check-structs.cpp includes this file as plain C++.
#ifndef PLAIN
#include <tangram/tangram.h>
#endif

struct Point {
  short x;
  double y;
};

struct Line {
  unsigned char kind;
  Point from, to;
  bool open;
};

constexpr Point kOrigin{};
constexpr Line kLines[2] = {{1, {1, 2}, {3, 4}, true}, {.kind = 2, .to = {.y = 5}}};

Point swapped(Point p) {
  p = {static_cast<short>(p.y), static_cast<double>(p.x)};
  return p;
}

Point operator+(Point a, Point b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}

/// A function of scalars that has structs in it alone.
int within(int n) {
  Point p{static_cast<short>(n), n / 2.0};
  Point q = p, r;
  r = q = swapped(p + q);
  return r.x + q.x + static_cast<int>(r.y);
}

Point walk(Line line, int steps) {
  Point at = line.from;
  for (Point step = line.to; steps > 0; step = swapped(step), --steps) {
    if (steps == 3) continue;
    at = at + step;
    if (at.x > 90) return swapped(at);
  }
  return line.open ? at : kOrigin;
}

#ifndef PLAIN
__spectrum int twice(const Array<1, int> in, Array<1, Line> lines, Line extra);
__codelet
#endif
int twice(const Array<1, int> in, Array<1, Line> lines, Line extra) {
  int sum = within(static_cast<int>(in.size()));
  Line local[3] = {kLines[0], kLines[1]};
  local[2] = extra;
  for (unsigned i = 0; i < in.size() && i < lines.size(); ++i) {
    unsigned j = i;
    lines[i].from = lines[j++].to; // a field of structs
    lines[i].to = {lines[i].from.x, lines[i].to.y + j};
    local[i % 3] = (in[i] > 0 ? lines[i] : local[(i + 1) % 3]);
    lines[i] = local[local[i % 3].kind % 3]; // found through what is written
    local[local[0].kind % 3] = lines[i];
    lines[i].open = !lines[i].open;
    sum += walk(lines[i], in[i] & 7).x + Point{3, 4.5}.x + swapped(Point{1, 2.5}).x;
    if ((lines[i] = extra, lines[i]).kind > 2) lines[i].kind += in[i];
    int k = 0;
    Point p{static_cast<short>(k++), static_cast<double>(k++)}, list[2] = {{7, 8}};
    list[k - 1] = p;
    sum += k + list[0].x + static_cast<int>(list[1].y) + (p = list[0]).x;
    sum += walk(Line{.to = p}, k++).x;
    sum += k;
  }
  return sum;
}
