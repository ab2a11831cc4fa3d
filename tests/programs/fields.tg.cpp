// Loops that carry structs from one iteration to the next, by operators, members and functions of them.
#include <limits>
#include <tangram/tangram.h>

struct Complex {
  float re, im;
  Complex &operator+=(const Complex &o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

__spectrum Complex dot(const Array<1, Complex> a, const Array<1, Complex> b) __requires(a.size() == b.size());
__codelet Complex dot(const Array<1, Complex> a, const Array<1, Complex> b) {
  Complex sum{0, 0};
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

__spectrum void product(const Array<2, Complex> a, const Array<1, Complex> x, Array<1, Complex> y)
    __requires(a.size(0) == y.size() && a.size(1) == x.size());
__codelet void product(const Array<2, Complex> a, const Array<1, Complex> x, Array<1, Complex> y) {
  for (size_t i = 0; i < y.size(); ++i) {
    Complex sum{0, 0};
    for (size_t j = 0; j < x.size(); ++j) sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

struct Candidate {
  int distance;
  unsigned index;
};
Candidate better(Candidate a, Candidate b) {
  if (b.distance < a.distance) return b;
  return a;
}

__spectrum Candidate nearest(const Array<1, Candidate> in);
__codelet Candidate nearest(const Array<1, Candidate> in) {
  Candidate best{std::numeric_limits<int>::max(), 0};
  for (size_t i = 0; i < in.size(); ++i) best = better(best, in[i]);
  return best;
}

__spectrum Candidate farthest(const Array<1, int> in);
__codelet Candidate farthest(const Array<1, int> in) {
  Candidate best{std::numeric_limits<int>::min(), 0};
  for (unsigned i = 0; i < in.size(); ++i)
    if (in[i] > best.distance) best = {in[i], i};
  return best;
}

struct Box {
  Candidate low;
  long long sum;
};

__spectrum Box summary(const Array<1, int> in);
__codelet Box summary(const Array<1, int> in) {
  Box box{{std::numeric_limits<int>::max(), 0}, 0};
  for (unsigned i = 0; i < in.size(); ++i) {
    box.sum += in[i];
    if (in[i] < box.low.distance) box.low = {in[i], i};
  }
  return box;
}

// Each field from the other one: no reduction.
struct Pair {
  unsigned first, second;
};
__spectrum Pair fibonacci(const Array<1, unsigned> in);
__codelet Pair fibonacci(const Array<1, unsigned> in) {
  Pair p{0, 1};
  for (size_t i = 0; i < in.size(); ++i) p = {p.second, p.first + p.second + in[i]};
  return p;
}
