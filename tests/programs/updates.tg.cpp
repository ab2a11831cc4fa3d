// Updates of containers in places that are seen only when something around them is taken apart.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

// In a loop that data ends.
__spectrum unsigned walks(unsigned walkers, Array<1, unsigned> visits);
__codelet unsigned walks(unsigned walkers, Array<1, unsigned> visits) {
  unsigned places = visits.size(), home = 0;
  for (unsigned p = 0; p < walkers; ++p) {
    unsigned state = p * 2654435761u + 12345u, at = p % 7;
    for (int steps = 0; steps < 50; ++steps) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      at += state % 3;
      if (at >= places) break;
      visits[at] += state & 15;
      if (state % 11 == 0) {
        home += at;
        break;
      }
    }
  }
  return home;
}

// By functions that are given an element to change.
struct Vector {
  int x, y, z;
};
Vector operator-(const Vector &a, const Vector &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
void push(Vector &to, Vector by) {
  to.x += by.x;
  to.y += by.y;
  to.z += by.z;
}
void count(int &to, int by) { to += by; }
__spectrum void pushed(const Array<1, unsigned> pair, const Array<1, Vector> at, Array<1, Vector> force,
                       Array<1, int> pushes)
    __requires(pushes.size() == force.size() && at.size() == pair.size() && force.size() > 0);
__codelet void pushed(const Array<1, unsigned> pair, const Array<1, Vector> at, Array<1, Vector> force,
                      Array<1, int> pushes) {
  for (size_t i = 0; i < pair.size(); ++i) {
    size_t j = pair[i] % force.size(), k = (pair[i] / 7) % force.size();
    Vector f = at[i];
    if (f.x % 5 == 0) continue;
    push(force[j], f);
    push(force[k], f - Vector{1, 2, 3});
    count(pushes[j], 1);
  }
}

// In cases of a switch.
__spectrum void booked(const Array<2, unsigned> feed, Array<2, int> depth) __requires(feed.size(1) == 3);
__codelet void booked(const Array<2, unsigned> feed, Array<2, int> depth) {
  for (size_t i = 0; i < feed.size(0); ++i) {
    unsigned book = feed[i][0] % 5, tick = feed[i][1] % 11;
    if (book >= depth.size(0) || tick >= depth.size(1)) continue;
    int change = 0;
    switch (feed[i][2] % 6) {
    case 0: change = 3; break;
    case 1:
    case 2: change = -2; break;
    case 4: depth[book][tick] += 100; continue;
    default: continue;
    }
    depth[book][tick] += change;
  }
}

// Of words that hold bits, in turns that end when nothing is found; bits are counted in a loop of their own.
__spectrum unsigned spread(const Array<1, unsigned> next, Array<1, unsigned> words)
    __requires(words.size() * 32 >= next.size() && next.size() > 0 && next.size() < 100000);
__codelet unsigned spread(const Array<1, unsigned> next, Array<1, unsigned> words) {
  unsigned n = next.size(), bits = 0;
  int turns = 0;
  bool any;
  Array<1, unsigned> more(words.size());
  for (size_t w = 0; w < words.size(); ++w) words[w] = w == 0 ? 1 : 0;
  do {
    any = false;
    ++turns;
    for (size_t w = 0; w < words.size(); ++w) more[w] = 0;
    for (unsigned v = 0; v < n; ++v) {
      unsigned from = next[v] % n;
      if ((words[v / 32] >> v % 32 & 1) == 0 && (words[from / 32] >> from % 32 & 1)) more[v / 32] |= 1u << v % 32;
    }
    for (size_t w = 0; w < words.size(); ++w) {
      words[w] |= more[w];
      if (more[w]) any = true;
      for (unsigned m = more[w]; m; m &= m - 1) bits += turns;
    }
  } while (any);
  return bits;
}

// In windows around places that data says.
__spectrum void splats(float width, const Array<1, float> x, const Array<1, float> y, Array<2, unsigned> grid)
    __requires(y.size() == x.size() && width > 0 && width < 4);
__codelet void splats(float width, const Array<1, float> x, const Array<1, float> y, Array<2, unsigned> grid) {
  int h = grid.size(0), w = grid.size(1);
  for (size_t s = 0; s < x.size(); ++s) {
    float px = std::fmod(std::abs(x[s]), 1.0f) * w, py = std::fmod(std::abs(y[s]), 1.0f) * h;
    int x0 = std::ceil(px - width / 2), y0 = std::ceil(py - width / 2);
    for (int j = std::max(y0, 0); j <= py + width / 2 && j < h; ++j)
      for (int i = std::max(x0, 0); i <= px + width / 2 && i < w; ++i) grid[j][i] += 1 + s % 3;
  }
}
