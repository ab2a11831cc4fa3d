// Member functions, operators and references, on all targets: what they change of containers, shared arrays and lanes'
// variables; templates over integers; std::swap.
#include <tangram/tangram.h>
#include <utility>

struct Generator {
  unsigned state = 1;
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 16;
  }
};

struct Complex {
  int re = 0, im = 0;
  Complex &operator+=(const Complex &o) {
    re += o.re;
    im += o.im;
    return *this;
  }
  Complex operator*(const Complex &o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  bool operator<(const Complex &o) const { return re < o.re || (re == o.re && im < o.im); }
};
inline Complex operator+(Complex a, const Complex &b) { return a += b; }

// ---- a sum of structs by operators -------------------------------------------------------------------------------

__spectrum Complex total(const Array<1, Complex> in);

__codelet __tag(serial) Complex total(const Array<1, Complex> in) {
  Complex sum;
  for (size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

__codelet __coop __tag(tree) Complex total(const Array<1, Complex> in) {
  __shared Complex part[coopDim()];
  unsigned id = coopIdx();
  part[id] = id < in.size() ? in[id] : Complex{};
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) part[id] += part[id + s];
  return part[0];
}

__codelet __tag(tiled) Complex total(const Array<1, Complex> in) {
  __tunable unsigned p;
  size_t n = in.size(), tile = (n + p - 1) / p;
  return total(map(total, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n))));
}

// ---- elements that change through references, N at a time --------------------------------------------------------

template <class T> void order(T &a, T &b) {
  if (b < a) std::swap(a, b);
}

template <class T, int N> __spectrum void sorted_groups(Array<1, T> c);

template <class T, int N> __codelet __tag(serial) void sorted_groups(Array<1, T> c) {
  for (size_t begin = 0; begin + N <= c.size(); begin += N) {
    T own[N];
    for (int k = 0; k < N; ++k) own[k] = c[begin + k];
    for (int round = 0; round < N; ++round)
      for (int k = round % 2; k + 1 < N; k += 2) {
        T low = own[k], high = own[k + 1];
        order(low, high);
        own[k] = low;
        own[k + 1] = high;
      }
    for (int k = 0; k < N; ++k) c[begin + k] = own[k];
  }
}

template <class T, int N> __codelet __tag(tiled) void sorted_groups(Array<1, T> c) {
  __tunable(1, 64) unsigned p;
  size_t n = c.size(), tile = (n / N + p - 1) / p * N;
  map(sorted_groups<T, N>, partition(c, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}

__instance(sorted_groups<Complex, 4>);
__instance(sorted_groups<int, 3>);

// ---- results straight into temporaries, again and again ----------------------------------------------------------

__spectrum int stirred(unsigned seed, int value);
__codelet int stirred(unsigned seed, int value) {
  Generator g{seed};
  for (int k = 0; k < 3; ++k) value = static_cast<int>((static_cast<unsigned>(value) ^ g.next()) & 0xffff);
  return value;
}

__spectrum int least(const Array<1, int> in);
__codelet __tag(serial) int least(const Array<1, int> in) {
  int result = 0x7fffffff;
  for (size_t i = 0; i < in.size(); ++i) result = in[i] < result ? in[i] : result;
  return result;
}
__codelet __tag(tiled) int least(const Array<1, int> in) {
  __tunable unsigned p;
  size_t n = in.size(), tile = (n + p - 1) / p;
  return least(map(least, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n))));
}

__spectrum int stirred_least(const Array<1, int> in, unsigned seed);
__codelet int stirred_least(const Array<1, int> in, unsigned seed) {
  Array<1, int> now(in.size()), then(in.size());
  now = map(stirred, seed, in);
  int result = least(now);
  for (unsigned k = 0; k < 3; ++k) {
    then = map(stirred, seed + k, now);
    now = map(stirred, seed, then);
    result += least(now);
  }
  return result;
}
