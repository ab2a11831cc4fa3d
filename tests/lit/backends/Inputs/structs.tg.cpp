// What C++ itself computes, and the compiler with it: check-structs.cpp includes this file as plain C++.
#ifndef PLAIN
#include <tangram/tangram.h>
#include <utility>
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

struct Generator {
  unsigned state = 7;
  unsigned draws{};
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    ++draws;
    return state >> 24;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }
  void skip(int n) {
    while (n-- > 0) next();
  }
};

struct Vector {
  int x = 1, y = 2;
  Vector &operator+=(const Vector &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
  Vector &operator-=(const Vector &o) { return *this += -o; }
  Vector operator-() const { return {-x, -y}; }
  int operator[](int i) const { return i ? y : x; }
  bool operator==(const Vector &o) const { return x == o.x && y == o.y; }
  int dot(const Vector &o) const { return x * o.x + y * o.y; }
  Vector turned() const;
  void turn() { *this = turned(); }
  static Vector of(int n) { return {n, -n}; }
  explicit operator int() const { return x + 10 * y; }
  friend Vector operator*(int k, const Vector &v) { return {k * v.x, k * v.y}; }
};
Vector Vector::turned() const { return {-y, x}; }
Vector operator+(Vector a, const Vector &b) { return a += b; }
Vector operator-(const Vector &a, const Vector &b) { return a + -b; }

struct Holder {
  Vector v, w{3, 4};
  Generator g;
};

/// Two that change, and a value.
int exchange(int &a, Vector &v, int by) {
  int before = a;
  if (by < 0) return -1;
  a = v.x + by;
  v.x = before;
  return before * 2;
}
void bump(int &n) { n += 3; }

int members(int n) {
  Generator g, h{5};
  Vector v, w{n, 3}, list[3];
  list[1] = Vector::of(4);
  int sum = static_cast<int>(g.next() & 15), i = 0; // operands are evaluated in any order: of each object, one call
  sum += g.below(9) * h.below(5);
  (v += w) += v;
  v -= Vector{1, 1};
  list[i++] += v;
  list[i].turn();
  list[g.below(3)] += list[h.below(3)]; // may be the same
  sum += (v + 3 * w - list[1]).dot(list[0]) + v[1] + (v == w ? 1 : 2) + (v != w) + static_cast<int>(list[2]);
  for (Vector step{}; step.x < 20 && g.next() % 50 != 0; step += Vector{1, 0}) {
    if (g.below(7) == 3) continue;
    sum += step.dot(w);
  }
  g.skip(n & 3);
  Holder holder;
  holder.v += holder.w;
  sum += holder.v.x * holder.g.below(100) + static_cast<int>(holder.g.draws);
  int a = n;
  sum += exchange(a, list[i], 4);
  sum += exchange(a, holder.w, n - 4);
  bump(a);
  using std::swap;
  swap(v, w);
  std::swap(list[0], list[i]);
  std::swap(list[i].x, list[2].y);
  std::swap(i, a);
  int t[4] = {1, 2, 3, 0}, k = 1;
  std::swap(k, t[k]);
  std::swap(t[k], t[k - 1]);
  while (g.next() > 40 || h.below(3)) ++sum;
  do
    sum += t[g.below(4)];
  while (g.below(5));
  return sum + v.x + w.y + list[0].x * 3 + list[1].y * 5 + list[2].y * 7 + i + a * 11 + k + t[0] * 13 + t[1] * 17 +
         static_cast<int>(g.state & 255);
}

#ifndef PLAIN
__spectrum int twice(const Array<1, int> in, Array<1, Line> lines, Line extra);
__codelet
#endif
int twice(const Array<1, int> in, Array<1, Line> lines, Line extra) {
  int sum = within(static_cast<int>(in.size()));
  for (unsigned i = 0; i < in.size(); ++i) sum = static_cast<int>(static_cast<unsigned>(sum) * 3u + static_cast<unsigned>(members(in[i])));
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

#ifndef PLAIN
// The wrapper for C++ calls the one with pointers, and not the C entry of the same name, which a struct's namespace has.
__spectrum void swapped_all(const Array<1, Point> in, Array<1, Point> out) __requires(in.size() == out.size());
__codelet void swapped_all(const Array<1, Point> in, Array<1, Point> out) {
  for (unsigned i = 0; i < in.size(); ++i) out[i] = swapped(in[i]);
}
#endif
