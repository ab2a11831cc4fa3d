// The programs of apps/held-out-7 as one would write them for a CPU: OpenMP, blocked for caches and registers; OpenBLAS
// for products of matrices. Compiled with -ffast-math, by which GCC has functions of vectors.
#include "peer_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <omp.h>
#include <utility>
#include <vector>
#ifdef TANGRAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace careful;
using Doubles = double __attribute__((vector_size(kWide * sizeof(float)), aligned(sizeof(double))));
using Words = unsigned __attribute__((vector_size(kWide * sizeof(unsigned)), aligned(sizeof(unsigned))));
using Longs = long long __attribute__((vector_size(kWide * sizeof(float)), aligned(sizeof(long long))));
constexpr std::size_t kDoubles = kWide / 2;

inline const Doubles &doubles(const double *from) { return *reinterpret_cast<const Doubles *>(from); }
inline Doubles &doubles(double *to) { return *reinterpret_cast<Doubles *>(to); }
inline Words &words(unsigned *to) { return *reinterpret_cast<Words *>(to); }
using careful::transpose;
inline void transpose(Doubles (&x)[kDoubles]) { transpose<Longs>(x); }

/// Of `count` things, where the part of this thread begins and ends.
struct Share {
  std::size_t begin, end;
  explicit Share(std::size_t count) {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    begin = count * own / threads;
    end = count * (own + 1) / threads;
  }
};

// ---- pathfinder: several rows at a time of columns that stay in the first cache, with as many more at both sides

void pathfinder(In<int, 2> cost, Out<int, 1> result) {
  constexpr std::size_t kAcross = 2048, kDeep = 16;
  const std::size_t rows = cost.size[0], columns = cost.size[1];
  const std::unique_ptr<int[]> other(new int[columns]);
  int *now = result.data, *next = other.get();
  std::memcpy(now, cost.data, columns * sizeof(int));
  for (std::size_t first = 1; first < rows; first += kDeep) {
    const std::size_t deep = std::min(kDeep, rows - first);
#pragma omp parallel for schedule(static)
    for (std::size_t left = 0; left < columns; left += kAcross) {
      const std::size_t from = left - std::min(left, deep), to = std::min(left + kAcross + deep, columns);
      const std::size_t across = to - from;
      int lines[2][kAcross + 2 * kDeep + 2];
      for (auto &line : lines) line[0] = line[across + 1] = std::numeric_limits<int>::max();
      std::memcpy(lines[0] + 1, now + from, across * sizeof(int));
      for (std::size_t r = 0; r < deep; ++r) {
        const int *above = lines[r % 2] + 1, *own = cost.data + (first + r) * columns + from;
        int *line = lines[(r + 1) % 2] + 1;
#pragma omp simd
        for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(across); ++j)
          line[j] = std::min(std::min(above[j - 1], above[j + 1]), above[j]) + own[j];
      }
      std::memcpy(next + left, lines[deep % 2] + 1 + (left - from), std::min(kAcross, columns - left) * sizeof(int));
    }
    std::swap(now, next);
  }
  if (now != result.data) std::memcpy(result.data, now, columns * sizeof(int));
}

// ---- hotspot: several steps of a band of rows that stays in the second cache, with as many rows more above and below

void heatRow(const float *up, const float *here, const float *down, const float *power, float *to, std::size_t columns,
             const float (&by)[4], float constant) {
  const auto point = [&](std::size_t j, std::size_t west, std::size_t east) {
    to[j] =
        by[0] * here[j] + by[1] * (up[j] + down[j]) + by[2] * (here[west] + here[east]) + by[3] * power[j] + constant;
  };
  if (columns == 0) return;
  point(0, 0, std::min<std::size_t>(1, columns - 1));
#pragma omp simd
  for (std::size_t j = 1; j < columns - 1; ++j) point(j, j - 1, j + 1);
  if (columns > 1) point(columns - 1, columns - 2, columns - 1);
}

void hotspot(unsigned steps, float step, float rx, float ry, float rz, float ambient, In<float, 2> power,
             Out<float, 2> heat) {
  constexpr std::size_t kHigh = 48, kDeep = 4;
  const std::size_t rows = heat.size[0], columns = heat.size[1], all = rows * columns;
  const float by[4] = {1 - step * (2 / ry + 2 / rx + 1 / rz), step / ry, step / rx, step};
  const float constant = step * ambient / rz;
  const std::unique_ptr<float[]> other(new float[all]);
  float *now = heat.data, *next = other.get();
#pragma omp parallel
  {
    std::vector<float> bands(2 * (kHigh + 2 * kDeep) * columns);
    float *mine = now, *theirs = next;
    for (unsigned first = 0; first < steps; first += kDeep) {
      const std::size_t deep = std::min<std::size_t>(kDeep, steps - first);
#pragma omp for schedule(static)
      for (std::size_t top = 0; top < rows; top += kHigh) {
        const std::size_t bottom = std::min(top + kHigh, rows);
        const std::size_t from = top - std::min(top, deep), to = std::min(bottom + deep, rows);
        const float *source = mine + from * columns;
        for (std::size_t s = 0; s < deep; ++s) {
          const std::size_t begin = from == 0 ? 0 : from + s + 1, end = to == rows ? rows : to - s - 1;
          float *target = bands.data() + s % 2 * (kHigh + 2 * kDeep) * columns;
          if (s + 1 == deep) target = theirs + from * columns;
          for (std::size_t i = s + 1 == deep ? top : begin; i < (s + 1 == deep ? bottom : end); ++i) {
            const auto row = [&](std::size_t r) { return source + (r - from) * columns; };
            heatRow(row(i - (i > 0)), row(i), row(i + (i + 1 < rows)), power.data + i * columns,
                    target + (i - from) * columns, columns, by, constant);
          }
          source = target;
        }
      }
      std::swap(mine, theirs);
    }
#pragma omp single
    now = mine;
  }
  if (now != heat.data) std::memcpy(heat.data, now, all * sizeof(float));
}

// ---- srad: one pass an iteration, from one array to another. A row is changed as soon as the coefficients below it
// are there; sums for the next iteration are added up on the way.

struct Rows {
  std::size_t rows, columns;
  std::size_t above(std::size_t i) const { return (i - (i > 0)) * columns; }
  std::size_t below(std::size_t i) const { return (i + (i + 1 < rows)) * columns; }
};

void coefficients(const Rows &of, const float *image, std::size_t i, float noise, float *to) {
  const float *up = image + of.above(i), *here = image + i * of.columns, *down = image + of.below(i);
  const float scale = 1 / (noise * (1 + noise));
  const auto point = [&](std::size_t j, std::size_t west, std::size_t east) {
    const float h = here[j], by = 1 / h, n = up[j] - h, s = down[j] - h, w = here[west] - h, e = here[east] - h;
    const float gradient = (n * n + s * s + w * w + e * e) * by * by, laplacian = (n + s + w + e) * by;
    const float below = 1 + 0.25f * laplacian, square = below * below;
    const float q = 0.5f * gradient - 0.0625f * laplacian * laplacian;
    const float c = square / (square + (q - noise * square) * scale);
    to[j] = std::min(std::max(c, 0.0f), 1.0f);
  };
  const std::size_t last = of.columns - 1;
  point(0, 0, std::min<std::size_t>(1, last));
#pragma omp simd
  for (std::size_t j = 1; j < last; ++j) point(j, j - 1, j + 1);
  if (last > 0) point(last, last - 1, last);
}

/// The row's sum and squares, too.
void diffuse(const Rows &of, const float *image, std::size_t i, const float *own, const float *next, float by,
             float *result, double &sum, double &squares) {
  const float *up = image + of.above(i), *here = image + i * of.columns, *down = image + of.below(i);
  float *to = result + i * of.columns;
  const auto point = [&](std::size_t j, std::size_t west, std::size_t east) {
    const float h = here[j], c = own[j];
    return h + by * (c * (up[j] - h) + next[j] * (down[j] - h) + c * (here[west] - h) + own[east] * (here[east] - h));
  };
  const std::size_t last = of.columns - 1;
  double s = 0, q = 0;
  const auto add = [&](std::size_t j, float x) {
    to[j] = x;
    s += static_cast<double>(x);
    q += static_cast<double>(x) * static_cast<double>(x);
  };
  add(0, point(0, 0, std::min<std::size_t>(1, last)));
#pragma omp simd reduction(+ : s, q)
  for (std::size_t j = 1; j < last; ++j) {
    const float x = point(j, j - 1, j + 1);
    to[j] = x;
    s += static_cast<double>(x);
    q += static_cast<double>(x) * static_cast<double>(x);
  }
  if (last > 0) add(last, point(last, last - 1, last));
  sum += s;
  squares += q;
}

void srad(unsigned iterations, float lambda, Out<float, 2> image) {
  const Rows of{image.size[0], image.size[1]};
  const std::size_t all = of.rows * of.columns;
  const std::unique_ptr<float[]> other(new float[all]);
  std::vector<double> sums(2 * (iterations + 1));
#pragma omp parallel
  {
    const Share share(of.rows);
    std::vector<float> lines(2 * of.columns);
    float *now = image.data, *next = other.get();
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (std::size_t k = share.begin * of.columns; k < share.end * of.columns; ++k) {
      sum += static_cast<double>(now[k]);
      squares += static_cast<double>(now[k]) * static_cast<double>(now[k]);
    }
    for (unsigned t = 0; t < iterations; ++t) {
#pragma omp atomic
      sums[2 * t] += sum;
#pragma omp atomic
      sums[2 * t + 1] += squares;
#pragma omp barrier
      const double mean = sums[2 * t] / static_cast<double>(all);
      const double variance = sums[2 * t + 1] / static_cast<double>(all) - mean * mean;
      const float noise = static_cast<float>(variance / (mean * mean));
      sum = squares = 0;
      float *own = lines.data(), *below = own + of.columns;
      if (share.begin < share.end) coefficients(of, now, share.begin, noise, own);
      for (std::size_t i = share.begin; i < share.end; ++i) {
        if (i + 1 < of.rows) coefficients(of, now, i + 1, noise, below);
        diffuse(of, now, i, own, i + 1 < of.rows ? below : own, 0.25f * lambda, next, sum, squares);
        std::swap(own, below);
      }
      std::swap(now, next);
    }
#pragma omp barrier
    if (now != image.data)
      std::memcpy(image.data + share.begin * of.columns, now + share.begin * of.columns,
                  (share.end - share.begin) * of.columns * sizeof(float));
  }
}

// ---- nw: tiles along antidiagonals; in a row, what comes from the left is a running maximum, which vectors compute in
// a logarithm of steps

void alignTile(int penalty, In<int, 2> similarity, int *score, std::size_t top, std::size_t bottom, std::size_t left,
               std::size_t right) {
  const std::size_t m = similarity.size[1], pitch = m + 1;
  Counts lane{};
  for (std::size_t l = 0; l < kWide; ++l) lane[l] = static_cast<int>(l);
  const Counts ramp = lane * penalty, lowest = Counts{} + std::numeric_limits<int>::min() / 2;
  for (std::size_t i = top; i < bottom; ++i) {
    const int *above = score + i * pitch, *like = similarity.data + i * m; // of column j - 1
    int *to = score + (i + 1) * pitch + 1;
    int before = to[static_cast<std::ptrdiff_t>(left) - 1];
    std::size_t j = left;
    for (; j + kWide <= right; j += kWide) {
      const Counts match = counts(above + j) + counts(like + j), up = counts(above + j + 1) - penalty;
      Counts x = (match > up ? match : up) + ramp; // what is lost on the way is in it
#pragma GCC unroll 4
      for (int s = 1; s < static_cast<int>(kWide); s *= 2) {
        const Counts from = lane >= s ? __builtin_shuffle(x, lane - s) : lowest;
        x = from > x ? from : x;
      }
      const Counts come = Counts{} + (before - penalty);
      x = (x > come ? x : come) - ramp;
      counts(to + j) = x;
      before = x[kWide - 1];
    }
    for (; j < right; ++j) {
      before = std::max(above[j] + like[j], std::max(above[j + 1], before) - penalty);
      to[j] = before;
    }
  }
}

void nw(int penalty, In<int, 2> similarity, Out<int, 2> score) {
  constexpr std::size_t kHigh = 128, kAcross = 512;
  const std::size_t n = similarity.size[0], m = similarity.size[1];
  for (std::size_t j = 0; j <= m; ++j) score.data[j] = -static_cast<int>(j) * penalty;
  for (std::size_t i = 0; i <= n; ++i) score.data[i * (m + 1)] = -static_cast<int>(i) * penalty;
  const std::size_t down = (n + kHigh - 1) / kHigh, across = (m + kAcross - 1) / kAcross;
#pragma omp parallel
  for (std::size_t d = 0; d + 1 < down + across; ++d) {
    const std::size_t first = d < across ? 0 : d - across + 1, last = std::min(d + 1, down);
#pragma omp for schedule(dynamic)
    for (std::size_t t = first; t < last; ++t)
      alignTile(penalty, similarity, score.data, t * kHigh, std::min((t + 1) * kHigh, n), (d - t) * kAcross,
                std::min((d - t + 1) * kAcross, m));
  }
}

// ---- lavamd: vectors of particles of a box, whose forces stay in registers while all others go by

/// 2 to the power of x, of numbers that have such a power: a polynomial of what is behind the point, Taylor's.
inline Vector powerOfTwo(Vector x) {
  const Vector at = x < 0 ? x - 0.5f : x + 0.5f;
  const Counts whole = __builtin_convertvector(at, Counts);
  const Vector r = (x - __builtin_convertvector(whole, Vector)) * 0.6931471806f;
  Vector p = 1.0f / 720 + r * (1.0f / 5040);
  p = 1.0f / 120 + r * p;
  p = 1.0f / 24 + r * p;
  p = 1.0f / 6 + r * p;
  p = 0.5f + r * p;
  p = 1 + r * (1 + r * p);
  return reinterpret_cast<Vector>(reinterpret_cast<Counts>(p) + (whole << 23));
}

void lavamd(float alpha, In<unsigned, 1> count, In<unsigned, 2> neighbour, In<float, 3> particle, In<float, 2> charge,
            Out<float, 3> force) {
  constexpr std::size_t kFields = 5; // v, x, y, z, charge
  const std::size_t boxes = particle.size[0], each = particle.size[1], padded = (each + kWide - 1) / kWide * kWide;
  const float scale = -2 * alpha * alpha * 1.442695041f;
  std::vector<float> fields(boxes * kFields * padded);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < boxes; ++b)
      for (std::size_t i = 0; i < each; ++i) {
        float *to = fields.data() + b * kFields * padded + i;
        for (std::size_t c = 0; c < 4; ++c) to[c * padded] = particle.data[(b * each + i) * 4 + c];
        to[4 * padded] = charge.data[b * each + i];
      }
#pragma omp for schedule(dynamic, 4)
    for (std::size_t b = 0; b < boxes; ++b)
      for (std::size_t first = 0; first < each; first += kWide) {
        const float *own = fields.data() + b * kFields * padded + first;
        const Vector v = vector(own) * scale, x = vector(own + padded), y = vector(own + 2 * padded),
                     z = vector(own + 3 * padded);
        Vector sum[4] = {};
        for (unsigned n = 0; n <= count.data[b]; ++n) {
          const std::size_t of = n == 0 ? b : neighbour.data[b * neighbour.size[1] + n - 1];
          const float *other = fields.data() + of * kFields * padded;
#pragma GCC unroll 2
          for (std::size_t j = 0; j < each; ++j) {
            const float ox = other[padded + j], oy = other[2 * padded + j], oz = other[3 * padded + j];
            const Vector power = v + scale * other[j] - scale * (x * ox + y * oy + z * oz);
            const Vector w = powerOfTwo(power) * other[4 * padded + j];
            sum[0] += w;
            sum[1] += w * (x - ox);
            sum[2] += w * (y - oy);
            sum[3] += w * (z - oz);
          }
        }
        for (std::size_t l = 0; l < std::min(kWide, each - first); ++l) {
          float *to = force.data + (b * each + first + l) * 4;
          to[0] = sum[0][l];
          for (std::size_t c = 1; c < 4; ++c) to[c] = 2 * sum[c][l];
        }
      }
  }
}

// ---- adi: what a system is divided by is the same for all of them, so that steps are sums of products. Along columns
// vectors are of columns; along rows, of rows, turned by tiles on their way. A block's forward results stay in a cache.

constexpr std::size_t kSystems = 4 * kDoubles; // at a time

/// Of systems along n numbers: p, and what the right-hand side and the number before are multiplied by.
struct Coefficients {
  std::vector<double> p, by, before;
  Coefficients(std::size_t n, double side, double center) : p(n), by(n), before(n) {
    for (std::size_t j = 1; j + 1 < n; ++j) {
      by[j] = 1 / (side * p[j - 1] + center);
      p[j] = -side * by[j];
      before[j] = p[j];
    }
  }
};

/// v from u, of columns first to first + kSystems.
void alongColumns(const Coefficients &of, double side, const double *u, double *v, std::size_t n, std::size_t first,
                  double *q) {
  const std::size_t there = std::min(kSystems, n - 1 - first);
  for (std::size_t l = 0; l < there; ++l) v[first + l] = v[(n - 1) * n + first + l] = q[l] = 1;
  if (there < kSystems) {
    for (std::size_t j = 1; j + 1 < n; ++j)
      for (std::size_t l = 0; l < there; ++l) {
        const double *at = u + j * n + first + l;
        const double right = (1 + 2 * side) * at[0] - side * (at[-1] + at[1]);
        q[j * kSystems + l] = right * of.by[j] + of.before[j] * q[(j - 1) * kSystems + l];
      }
    for (std::size_t j = n - 2; j >= 1; --j)
      for (std::size_t l = 0; l < there; ++l)
        v[j * n + first + l] = of.p[j] * v[(j + 1) * n + first + l] + q[j * kSystems + l];
    return;
  }
  Doubles last[4];
  for (auto &x : last) x = Doubles{} + 1.0;
  for (std::size_t j = 1; j + 1 < n; ++j) {
    const double *at = u + j * n + first, by = of.by[j], before = of.before[j];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k, at += kDoubles) {
      const Doubles right = (1 + 2 * side) * doubles(at) - side * (doubles(at - 1) + doubles(at + 1));
      last[k] = right * by + before * last[k];
      doubles(q + j * kSystems + k * kDoubles) = last[k];
    }
  }
  for (auto &x : last) x = Doubles{} + 1.0;
  for (std::size_t j = n - 2; j >= 1; --j) {
    double *to = v + j * n + first;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      last[k] = of.p[j] * last[k] + doubles(q + j * kSystems + k * kDoubles);
      doubles(to + k * kDoubles) = last[k];
    }
  }
}

/// u from v, of rows first to first + kSystems.
void alongRows(const Coefficients &of, double side, const double *v, double *u, std::size_t n, std::size_t first,
               double *q) {
  const std::size_t there = std::min(kSystems, n - 1 - first);
  const auto right = [&](std::size_t i, std::size_t j) {
    const double *at = v + i * n + j;
    return (1 + 2 * side) * doubles(at) - side * (doubles(at - n) + doubles(at + n));
  };
  std::size_t whole = 1; // columns before it are in tiles
  for (; whole + kDoubles < n; whole += kDoubles)
    for (std::size_t k = 0; k * kDoubles < there; ++k) {
      Doubles x[kDoubles];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kDoubles; ++r) x[r] = right(first + std::min(k * kDoubles + r, there - 1), whole);
      transpose(x);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kDoubles; ++r) doubles(q + (whole + r) * kSystems + k * kDoubles) = x[r];
    }
  for (std::size_t j = whole; j + 1 < n; ++j)
    for (std::size_t l = 0; l < kSystems; ++l) {
      const double *at = v + (first + std::min(l, there - 1)) * n + j;
      q[j * kSystems + l] = (1 + 2 * side) * at[0] - side * (at[-static_cast<std::ptrdiff_t>(n)] + at[n]);
    }
  Doubles last[4];
  for (auto &x : last) x = Doubles{} + 1.0;
  for (std::size_t j = 1; j + 1 < n; ++j)
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      Doubles &own = doubles(q + j * kSystems + k * kDoubles);
      last[k] = own * of.by[j] + of.before[j] * last[k];
      own = last[k];
    }
  for (auto &x : last) x = Doubles{} + 1.0;
  for (std::size_t j = n - 2; j >= 1; --j)
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      Doubles &own = doubles(q + j * kSystems + k * kDoubles);
      last[k] = of.p[j] * last[k] + own;
      own = last[k];
    }
  for (std::size_t l = 0; l < there; ++l) u[(first + l) * n] = u[(first + l) * n + n - 1] = 1;
  for (std::size_t j = 1; j < whole; j += kDoubles)
    for (std::size_t k = 0; k * kDoubles < there; ++k) {
      Doubles x[kDoubles];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kDoubles; ++r) x[r] = doubles(q + (j + r) * kSystems + k * kDoubles);
      transpose(x);
      const std::size_t rows = std::min(kDoubles, there - k * kDoubles);
      for (std::size_t r = 0; r < rows; ++r) doubles(u + (first + k * kDoubles + r) * n + j) = x[r];
    }
  for (std::size_t j = whole; j + 1 < n; ++j)
    for (std::size_t l = 0; l < there; ++l) u[(first + l) * n + j] = q[j * kSystems + l];
}

void adi(int steps, Out<double, 2> u) {
  const std::size_t n = u.size[0];
  const double dt = 1.0 / steps, square = static_cast<double>(n) * static_cast<double>(n);
  const double a = -dt * square, d = -dt * square / 2; // off the diagonal, of columns and rows
  const Coefficients columns(n, a, 1 - 2 * a), rows(n, d, 1 - 2 * d);
  const std::unique_ptr<double[]> v(new double[n * n]);
#pragma omp parallel
  {
    std::vector<double> q(n * kSystems);
    for (int t = 0; t < steps; ++t) {
#pragma omp for schedule(static)
      for (std::size_t first = 1; first < n - 1; first += kSystems)
        alongColumns(columns, d, u.data, v.get(), n, first, q.data());
#pragma omp single
      for (std::size_t j = 1; j + 1 < n; ++j) { // of these rows the first and the last number are never used
        v[j * n] = v[j * n + n - 1] = 0;
      }
#pragma omp for schedule(static)
      for (std::size_t first = 1; first < n - 1; first += kSystems)
        alongRows(rows, a, v.get(), u.data, n, first, q.data());
    }
  }
}

// ---- nussinov: by tiles of a padded copy, along diagonals. What lies between both ends' tiles is a product of tiles,
// with sums for products and the greatest for a sum; four rows of results are in registers.

constexpr std::size_t kTile = 64, kTileVectors = kTile / kWide;

/// own = max(own, left + right'), where row k of right' is row k + 1 of the table.
void through(int *own, const int *left, const int *below, std::size_t pitch) {
  constexpr std::size_t kRows = 4;
  for (std::size_t i = 0; i < kTile; i += kRows) {
    Counts best[kRows][kTileVectors];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kTileVectors; ++v) best[r][v] = counts(own + (i + r) * pitch + v * kWide);
    for (std::size_t k = 0; k < kTile; ++k)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kTileVectors; ++v) {
        const Counts rest = counts(below + k * pitch + v * kWide);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r) {
          const Counts sum = left[(i + r) * pitch + k] + rest;
          best[r][v] = sum > best[r][v] ? sum : best[r][v];
        }
      }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kTileVectors; ++v) counts(own + (i + r) * pitch + v * kWide) = best[r][v];
  }
}

/// What the tile's own numbers, and those of both ends' tiles, make of it: rows from the last one up.
void complete(int *table, const Byte *base, std::size_t top, std::size_t left, std::size_t pitch) {
  constexpr int kNever = std::numeric_limits<int>::min() / 2;
  int right[kTile][kTile]; // row k + 1 of the last end's tile, from column k + 1
  for (std::size_t k = 0; k + 1 < kTile; ++k)
    for (std::size_t j = 0; j < kTile; ++j) right[k][j] = j > k ? table[(left + k + 1) * pitch + left + j] : kNever;
  const bool diagonal = top == left;
  for (std::size_t i = top + kTile; i-- > top;) {
    int *own = table + i * pitch + left, line[kTile];
    const int *below = own + pitch;
    for (std::size_t j = 0; j < kTile; ++j) {
      const std::size_t column = left + j;
      const int inner = column > i ? below[static_cast<std::ptrdiff_t>(j) - 1] : kNever;
      line[j] = std::max(own[j], column > i + 1 && base[i] + base[column] == 3 ? inner + 1 : inner);
    }
    if (diagonal)
      for (std::size_t j = 0; j <= i - top; ++j) line[j] = 0; // nothing is below the diagonal
    Counts best[kTileVectors];
    for (std::size_t v = 0; v < kTileVectors; ++v) best[v] = counts(line + v * kWide);
    if (!diagonal)
      for (std::size_t k = i; k < top + kTile; ++k) {
        const int first = table[i * pitch + k];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kTileVectors; ++v) {
          const Counts sum = first + counts(table + (k + 1) * pitch + left + v * kWide);
          best[v] = sum > best[v] ? sum : best[v];
        }
      }
    for (std::size_t v = 0; v < kTileVectors; ++v) counts(line + v * kWide) = best[v];
    for (std::size_t k = diagonal ? i - top : 0; k + 1 < kTile; ++k) {
      const int first = line[k];
      for (std::size_t v = (k + 1) / kWide; v < kTileVectors; ++v) {
        const Counts sum = first + counts(&right[k][v * kWide]);
        Counts &to = counts(line + v * kWide);
        to = sum > to ? sum : to;
      }
    }
    for (std::size_t v = 0; v < kTileVectors; ++v) counts(own + v * kWide) = counts(line + v * kWide);
    if (diagonal && i > top) // now it is there
      for (std::size_t j = i - top; j < kTile; ++j) right[i - top - 1][j] = line[j];
  }
}

void nussinov(In<Byte, 1> base, Out<int, 2> table) {
  const std::size_t n = base.size[0], tiles = (n + kTile - 1) / kTile;
  const std::size_t pitch = tiles * kTile + kWide; // no power of two
  std::vector<int> memory((tiles * kTile + 1) * pitch);
  std::vector<Byte> bases(tiles * kTile, 255);
  if (n > 0) std::memcpy(bases.data(), base.data, n);
  int *all = memory.data();
#pragma omp parallel
  {
    for (std::size_t d = 0; d < tiles; ++d)
#pragma omp for schedule(dynamic)
      for (std::size_t t = 0; t < tiles - d; ++t) {
        const std::size_t top = t * kTile, left = (t + d) * kTile;
        for (std::size_t k = top + kTile; k < left; k += kTile)
          through(all + top * pitch + left, all + top * pitch + k, all + (k + 1) * pitch + left, pitch);
        complete(all, bases.data(), top, left, pitch);
      }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) std::memcpy(table.data + i * n, all + i * pitch, n * sizeof(int));
  }
}

// ---- gesummv: both matrices go by once, two rows at a time

void gesummv(double alpha, double beta, In<double, 2> a, In<double, 2> b, In<double, 1> x, Out<double, 1> y) {
  const std::size_t n = y.size[0], m = x.size[0], pairs = n / 2;
  const double *with = x.data;
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pairs; ++p) {
    const double *a0 = a.data + 2 * p * m, *a1 = a0 + m, *b0 = b.data + 2 * p * m, *b1 = b0 + m;
    double s0 = 0, s1 = 0, t0 = 0, t1 = 0;
#pragma omp simd reduction(+ : s0, s1, t0, t1)
    for (std::size_t j = 0; j < m; ++j) {
      s0 += a0[j] * with[j];
      s1 += a1[j] * with[j];
      t0 += b0[j] * with[j];
      t1 += b1[j] * with[j];
    }
    y.data[2 * p] = alpha * s0 + beta * t0;
    y.data[2 * p + 1] = alpha * s1 + beta * t1;
  }
  if (n % 2 == 0) return;
  double s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
  for (std::size_t j = 0; j < m; ++j) {
    s += a.data[(n - 1) * m + j] * with[j];
    t += b.data[(n - 1) * m + j] * with[j];
  }
  y.data[n - 1] = alpha * s + beta * t;
}

// ---- deriche: vectors of rows, turned by tiles on their way, and then of columns. A block stays in the second cache
// between both directions.

constexpr std::size_t kLines = 2 * kWide; // at a time

struct Recursion {
  float a1, a2, a3, a4, b1, b2;
  explicit Recursion(float alpha) {
    const float fade = std::exp(-alpha), twice = std::exp(-2 * alpha);
    a1 = (1 - fade) * (1 - fade) / (1 + 2 * alpha * fade - twice);
    a2 = a1 * fade * (alpha - 1);
    a3 = a1 * fade * (alpha + 1);
    a4 = -a1 * twice;
    b1 = std::exp2(-alpha);
    b2 = -twice;
  }
};

/// Both directions of kLines lines side by side, of n numbers `pitch` apart, in place. `kept` has room for as many.
void bothWays(const Recursion &of, float *x, std::size_t pitch, std::size_t n, float *kept) {
  Vector y1[2] = {}, y2[2] = {}, x1[2] = {}, x2[2] = {};
  for (std::size_t j = 0; j < n; ++j)
#pragma GCC unroll 2
    for (std::size_t k = 0; k < 2; ++k) {
      const Vector own = vector(x + j * pitch + k * kWide);
      const Vector y = (of.a1 * own + of.a2 * x1[k] + of.b2 * y2[k]) + of.b1 * y1[k];
      x1[k] = own;
      y2[k] = y1[k];
      y1[k] = y;
      vector(kept + j * kLines + k * kWide) = y;
    }
  for (std::size_t k = 0; k < 2; ++k) y1[k] = y2[k] = x1[k] = x2[k] = Vector{};
  for (std::size_t j = n; j-- > 0;)
#pragma GCC unroll 2
    for (std::size_t k = 0; k < 2; ++k) {
      const Vector y = (of.a3 * x1[k] + of.a4 * x2[k] + of.b2 * y2[k]) + of.b1 * y1[k];
      Vector &own = vector(x + j * pitch + k * kWide);
      x2[k] = x1[k];
      x1[k] = own;
      y2[k] = y1[k];
      y1[k] = y;
      own = y + vector(kept + j * kLines + k * kWide);
    }
}

void deriche(float alpha, In<float, 2> in, Out<float, 2> out) {
  const std::size_t rows = in.size[0], columns = in.size[1];
  const Recursion of(alpha);
#pragma omp parallel
  {
    std::vector<float> line(std::max(rows, columns) * kLines), kept(line.size());
#pragma omp for schedule(static)
    for (std::size_t top = 0; top < rows; top += kLines) {
      const std::size_t there = std::min(kLines, rows - top), whole = there == kLines ? columns / kWide * kWide : 0;
      for (std::size_t j = 0; j < whole; j += kWide)
        for (std::size_t k = 0; k < 2; ++k) {
          Vector x[kWide];
#pragma GCC unroll 16
          for (std::size_t r = 0; r < kWide; ++r) x[r] = vector(in.data + (top + k * kWide + r) * columns + j);
          transpose(x);
#pragma GCC unroll 16
          for (std::size_t r = 0; r < kWide; ++r) vector(line.data() + (j + r) * kLines + k * kWide) = x[r];
        }
      for (std::size_t l = 0; l < there; ++l)
        for (std::size_t j = whole; j < columns; ++j) line[j * kLines + l] = in.data[(top + l) * columns + j];
      bothWays(of, line.data(), kLines, columns, kept.data());
      for (std::size_t j = 0; j < whole; j += kWide)
        for (std::size_t k = 0; k < 2; ++k) {
          Vector x[kWide];
#pragma GCC unroll 16
          for (std::size_t r = 0; r < kWide; ++r) x[r] = vector(line.data() + (j + r) * kLines + k * kWide);
          transpose(x);
#pragma GCC unroll 16
          for (std::size_t r = 0; r < kWide; ++r) vector(out.data + (top + k * kWide + r) * columns + j) = x[r];
        }
      for (std::size_t l = 0; l < there; ++l)
        for (std::size_t j = whole; j < columns; ++j) out.data[(top + l) * columns + j] = line[j * kLines + l];
    }
#pragma omp for schedule(static)
    for (std::size_t left = 0; left < columns; left += kLines) {
      const std::size_t there = std::min(kLines, columns - left);
      if (there == kLines) {
        bothWays(of, out.data + left, columns, rows, kept.data());
        continue;
      }
      for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(line.data() + i * kLines, out.data + i * columns + left, there * sizeof(float));
      bothWays(of, line.data(), kLines, rows, kept.data());
      for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(out.data + i * columns + left, line.data() + i * kLines, there * sizeof(float));
    }
  }
}

// ---- bitonic: what is within chunks of the first cache is done there; partners within a vector by shuffles, others
// two distances at a time

constexpr std::size_t kChunk = 4096;

inline void order(Words &a, Words &b, bool rises) {
  const Words low = a < b ? a : b, high = a < b ? b : a;
  a = rises ? low : high;
  b = rises ? high : low;
}

/// Distances below a vector's width, of numbers from `at` on, within sequences of k.
void orderWithin(unsigned *x, std::size_t at, std::size_t k) {
  Words lane{}, own = words(x + at);
  for (std::size_t l = 0; l < kWide; ++l) lane[l] = static_cast<unsigned>(l);
  const Words falls = reinterpret_cast<Words>(((lane + static_cast<unsigned>(at)) & static_cast<unsigned>(k)) != 0u);
#pragma GCC unroll 4
  for (unsigned j = kWide / 2; j > 0; j /= 2) {
    if (j >= k) continue;
    const Words other = __builtin_shuffle(own, lane ^ j);
    const Words upper = reinterpret_cast<Words>((lane & j) != 0u) ^ falls;
    const Words low = own < other ? own : other, high = own < other ? other : own;
    own = (upper & high) | (~upper & low);
  }
  words(x + at) = own;
}

/// Distances j and j / 2 (where there is one left) of the four (two) vectors that belong together, all of one
/// direction.
inline void orderFour(unsigned *x, std::size_t j, bool rises) {
  Words a = words(x), b = words(x + j / 2), c = words(x + j), d = words(x + j + j / 2);
  order(a, c, rises);
  order(b, d, rises);
  order(a, b, rises);
  order(c, d, rises);
  words(x) = a;
  words(x + j / 2) = b;
  words(x + j) = c;
  words(x + j + j / 2) = d;
}

/// Distances from j down, of a chunk of numbers from `at` on.
void orderChunk(unsigned *x, std::size_t at, std::size_t size, std::size_t j, std::size_t k) {
  for (; j >= 2 * kWide; j /= 4)
    for (std::size_t first = at; first < at + size; first += 2 * j)
      for (std::size_t i = first; i < first + j / 2; i += kWide) orderFour(x + i, j, (i & k) == 0);
  if (j == kWide)
    for (std::size_t i = at; i < at + size; i += 2 * kWide) order(words(x + i), words(x + i + kWide), (i & k) == 0);
  for (std::size_t i = at; i < at + size; i += kWide) orderWithin(x, i, k);
}

void bitonic(Out<unsigned, 1> a) {
  const std::size_t n = a.size[0], chunk = std::min(kChunk, n);
  if (n < 2 * kWide) {
    std::sort(a.data, a.data + n);
    return;
  }
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t at = 0; at < n; at += chunk)
      for (std::size_t k = 2; k <= chunk; k *= 2) orderChunk(a.data, at, chunk, k / 2, k);
    for (std::size_t k = 2 * chunk; k <= n; k *= 2) {
      std::size_t j = k / 2;
      for (; j >= 2 * chunk; j /= 4) {
        const std::size_t pieces = n / (2 * chunk); // of half a chunk that four vectors at a time begin in
#pragma omp for schedule(static)
        for (std::size_t p = 0; p < pieces; ++p) {
          const std::size_t low = p * (chunk / 2), i = low / (j / 2) * (2 * j) + low % (j / 2);
          for (std::size_t e = 0; e < chunk / 2; e += kWide) orderFour(a.data + i + e, j, (i & k) == 0);
        }
      }
      if (j == chunk) {
#pragma omp for schedule(static)
        for (std::size_t at = 0; at < n; at += 2 * chunk) {
          for (std::size_t e = at; e < at + chunk; e += kWide)
            order(words(a.data + e), words(a.data + e + chunk), (at & k) == 0);
          orderChunk(a.data, at, chunk, chunk / 2, k);
          orderChunk(a.data, at + chunk, chunk, chunk / 2, k);
        }
      } else {
#pragma omp for schedule(static)
        for (std::size_t at = 0; at < n; at += chunk) orderChunk(a.data, at, chunk, j, k);
      }
    }
  }
}

// ---- jacobi1d: several steps of a piece that stays in the first cache, with as many numbers more at both sides

void jacobi1d(int steps, Out<double, 1> a, Out<double, 1> b) {
  constexpr std::size_t kPiece = 1536, kDeep = 16, kReach = 2 * kDeep;
  const std::size_t n = a.size[0];
  if (n < 3 || steps <= 0) return;
  const std::unique_ptr<double[]> other(new double[n]);
  double *now = a.data, *next = other.get();
  const auto means = [](const double *from, double *to, std::size_t count) {
#pragma omp simd
    for (std::size_t i = 1; i < count - 1; ++i) to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
  };
  const double first = b.data[0], last = b.data[n - 1];
  for (std::size_t t = 0; t < static_cast<std::size_t>(steps); t += kDeep) {
    const std::size_t deep = std::min(kDeep, static_cast<std::size_t>(steps) - t);
    const bool done = t + deep == static_cast<std::size_t>(steps);
#pragma omp parallel for schedule(static)
    for (std::size_t left = 0; left < n; left += kPiece) {
      const std::size_t from = left - std::min(left, 2 * deep), to = std::min(left + kPiece + 2 * deep, n);
      const std::size_t count = to - from, own = std::min(kPiece, n - left);
      double x[kPiece + 2 * kReach], y[kPiece + 2 * kReach];
      std::memcpy(x, now + from, count * sizeof(double));
      y[0] = from == 0 ? first : x[0];
      y[count - 1] = to == n ? last : x[count - 1];
      for (std::size_t s = 0; s < deep; ++s) {
        means(x, y, count);
        means(y, x, count);
      }
      std::memcpy(next + left, x + (left - from), own * sizeof(double));
      if (done) std::memcpy(b.data + left, y + (left - from), own * sizeof(double));
    }
    std::swap(now, next);
  }
  if (now != a.data) std::memcpy(a.data, now, n * sizeof(double));
}

// ---- products of matrices. Where there is more to do than a product, each thread calls OpenBLAS for rows of its own:
// two pools of threads that wait for each other's are slow.

#ifdef TANGRAM_BENCH_OPENBLAS

inline int count(std::size_t x) { return static_cast<int>(x); }

/// OpenBLAS does not divide what it is called for.
class Alone {
public:
  Alone() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
  ~Alone() { openblas_set_num_threads(before_); }
  Alone(const Alone &) = delete;
  Alone &operator=(const Alone &) = delete;

private:
  int before_;
};

void correlation(Out<double, 2> data, Out<double, 2> result) {
  const std::size_t n = data.size[0], m = data.size[1];
  std::vector<double> mean(m), by(m);
  const double share = 1 / static_cast<double>(n);
#pragma omp parallel
  {
    std::vector<double> own(m);
    const auto sumUp = [&](std::vector<double> &all, auto term) {
      std::fill(own.begin(), own.end(), 0);
#pragma omp for schedule(static) nowait
      for (std::size_t i = 0; i < n; ++i) {
        const double *row = data.data + i * m;
#pragma omp simd
        for (std::size_t j = 0; j < m; ++j) own[j] += term(row[j], j);
      }
#pragma omp critical
      for (std::size_t j = 0; j < m; ++j) all[j] += own[j] * share;
#pragma omp barrier
    };
    sumUp(mean, [](double x, std::size_t) { return x; });
    sumUp(by, [&](double x, std::size_t j) { return (x - mean[j]) * (x - mean[j]); });
#pragma omp single
    for (double &x : by) {
      const double deviation = std::sqrt(x);
      x = 1 / (std::sqrt(static_cast<double>(n)) * (deviation <= 0.1 ? 1 : deviation));
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i)
#pragma omp simd
      for (std::size_t j = 0; j < m; ++j) data.data[i * m + j] = (data.data[i * m + j] - mean[j]) * by[j];
  }
  constexpr std::size_t kRows = 96, kBlock = 32; // rows of the lower half, and what is copied to the other one
  const std::size_t blocks = (m + kRows - 1) / kRows;
  const Alone alone;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t t = 0; t < blocks; ++t) {
    const std::size_t top = (blocks - 1 - t) * kRows, rows = std::min(kRows, m - top); // long ones first
    double *own = result.data + top * m;
    if (top > 0)
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, count(rows), count(top), count(n), 1, data.data + top,
                  count(m), data.data, count(m), 0, own, count(m));
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, count(rows), count(n), 1, data.data + top, count(m), 0,
                own + top, count(m));
    for (std::size_t left = 0; left < top + rows; left += kBlock)
      for (std::size_t i = std::max(top, left); i < top + rows; ++i)
        for (std::size_t j = left; j < std::min(left + kBlock, i); ++j) result.data[j * m + i] = result.data[i * m + j];
    for (std::size_t i = top; i < top + rows; ++i) result.data[i * m + i] = 1;
  }
}

void symm(double alpha, double beta, In<double, 2> a, In<double, 2> b, Out<double, 2> c) {
  const int m = static_cast<int>(c.size[0]), n = static_cast<int>(c.size[1]);
  if (m == 0 || n == 0) return;
  cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, m, n, alpha, a.data, m, b.data, n, beta, c.data, n);
}

void backprop(float rate, In<float, 2> in, In<float, 2> target, Out<float, 2> w1, Out<float, 2> w2,
              Result<float> result) {
  const std::size_t batch = in.size[0], inputs = w1.size[0], hidden = w1.size[1], outputs = w2.size[1];
  *result.data = 0;
  if (batch == 0 || inputs == 0 || hidden == 0 || outputs == 0) return;
  const std::unique_ptr<float[]> memory(new float[batch * (2 * hidden + outputs)]);
  float *h = memory.get(), *deltaH = h + batch * hidden, *deltaO = deltaH + batch * hidden, error = 0;
  const Alone alone;
#pragma omp parallel reduction(+ : error)
  {
    const Share share(batch);
    const std::size_t rows = share.end - share.begin;
    if (rows > 0) { // examples of this thread
      float *own = h + share.begin * hidden, *delta = deltaH + share.begin * hidden,
            *o = deltaO + share.begin * outputs;
      const float *wanted = target.data + share.begin * outputs;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count(rows), count(hidden), count(inputs), 1,
                  in.data + share.begin * inputs, count(inputs), w1.data, count(hidden), 0, own, count(hidden));
#pragma omp simd
      for (std::size_t i = 0; i < rows * hidden; ++i) own[i] = 1 / (1 + std::exp(-own[i]));
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count(rows), count(outputs), count(hidden), 1, own,
                  count(hidden), w2.data, count(outputs), 0, o, count(outputs));
#pragma omp simd reduction(+ : error)
      for (std::size_t i = 0; i < rows * outputs; ++i) {
        const float x = 1 / (1 + std::exp(-o[i])), d = x * (1 - x) * (wanted[i] - x);
        o[i] = d;
        error += std::abs(d);
      }
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count(rows), count(hidden), count(outputs), 1, o,
                  count(outputs), w2.data, count(outputs), 0, delta, count(hidden));
#pragma omp simd
      for (std::size_t i = 0; i < rows * hidden; ++i) delta[i] *= own[i] * (1 - own[i]);
    }
#pragma omp barrier
    // Rows of the weights that are this thread's.
    const Share second(hidden), first(inputs);
    if (second.begin < second.end)
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, count(second.end - second.begin), count(outputs),
                  count(batch), rate, h + second.begin, count(hidden), deltaO, count(outputs), 1,
                  w2.data + second.begin * outputs, count(outputs));
    if (first.begin < first.end)
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, count(first.end - first.begin), count(hidden), count(batch),
                  rate, in.data + first.begin, count(inputs), deltaH, count(hidden), 1, w1.data + first.begin * hidden,
                  count(hidden));
  }
  *result.data = error;
}

const bench::PeerKernel<correlation> correlationPeer("correlation", "openblas", {"data", "result"});
const bench::PeerKernel<symm> symmPeer("symm", "openblas", {"alpha", "beta", "a", "b", "c"});
const bench::PeerKernel<backprop> backpropPeer("backprop", "openblas", {"rate", "in", "target", "w1", "w2", "result"});

#define BLAS_PEERS , &correlationPeer.kernel, &symmPeer.kernel, &backpropPeer.kernel
#else
#define BLAS_PEERS
#endif

template <auto function> using Peer = bench::PeerKernel<function>;
const Peer<pathfinder> pathfinderPeer("pathfinder", "openmp", {"cost", "result"});
const Peer<hotspot> hotspotPeer("hotspot", "openmp", {"steps", "step", "rx", "ry", "rz", "ambient", "power", "heat"});
const Peer<srad> sradPeer("srad", "openmp", {"iterations", "lambda", "image"});
const Peer<nw> nwPeer("nw", "openmp", {"penalty", "similarity", "score"});
const Peer<lavamd> lavamdPeer("lavamd", "openmp", {"alpha", "count", "neighbour", "particle", "charge", "force"});
const Peer<adi> adiPeer("adi", "openmp", {"steps", "u"});
const Peer<nussinov> nussinovPeer("nussinov", "openmp", {"base", "table"});
const Peer<gesummv> gesummvPeer("gesummv", "openmp", {"alpha", "beta", "a", "b", "x", "y"});
const Peer<deriche> derichePeer("deriche", "openmp", {"alpha", "in", "out"});
const Peer<bitonic> bitonicPeer("bitonic", "openmp", {"a"});
const Peer<jacobi1d> jacobi1dPeer("jacobi1d", "openmp", {"steps", "a", "b"});

} // namespace

BENCH_PEERS(&pathfinderPeer.kernel, &hotspotPeer.kernel, &sradPeer.kernel, &nwPeer.kernel, &lavamdPeer.kernel,
            &adiPeer.kernel, &nussinovPeer.kernel, &gesummvPeer.kernel, &derichePeer.kernel, &bitonicPeer.kernel,
            &jacobi1dPeer.kernel BLAS_PEERS)
