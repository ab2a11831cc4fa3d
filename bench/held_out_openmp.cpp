// The programs of apps/held-out as one would write them for a CPU: OpenMP, blocked for caches and registers; OpenBLAS
// for products of matrices. Compiled with -ffast-math, by which GCC has functions of vectors.
#include "peer_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#ifdef TANGRAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace careful;

// ---- layernorm: a row stays in the cache between its sums and its results

void layernorm(float epsilon, In<float, 2> in, In<float, 1> gain, In<float, 1> bias, Out<float, 2> out) {
  const std::size_t n = in.size[1];
  const float *g = gain.data, *b = bias.data;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < in.size[0]; ++i) {
    const float *from = in.data + i * n;
    float *to = out.data + i * n;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n; ++j) sum += from[j];
    const float mean = sum / static_cast<float>(n);
#pragma omp simd reduction(+ : squares)
    for (std::size_t j = 0; j < n; ++j) squares += (from[j] - mean) * (from[j] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(n) + epsilon);
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) to[j] = (from[j] - mean) * scale * g[j] + b[j];
  }
}

// ---- attention: blocks of queries and tiles of keys, with the greatest score and the sum so far (online softmax)

/// Heads of other sizes: a row at a time.
void anyAttention(In<float, 2> q, In<float, 2> k, In<float, 2> v, Out<float, 2> o) {
  const std::size_t keys = k.size[0], depth = q.size[1], wide = o.size[1];
  const float scale = 1 / std::sqrt(static_cast<float>(depth));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < q.size[0]; ++i) {
    const std::unique_ptr<float[]> score(new float[keys]);
    float most = std::numeric_limits<float>::lowest(), sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      float dot = 0;
#pragma omp simd reduction(+ : dot)
      for (std::size_t d = 0; d < depth; ++d) dot += q.data[i * depth + d] * k.data[j * depth + d];
      score[j] = dot * scale;
      most = std::max(most, score[j]);
    }
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < keys; ++j) sum += score[j] = std::exp(score[j] - most);
    float *to = o.data + i * wide;
    std::fill(to, to + wide, 0.0f);
    for (std::size_t j = 0; j < keys; ++j)
#pragma omp simd
      for (std::size_t d = 0; d < wide; ++d) to[d] += score[j] / sum * v.data[j * wide + d];
  }
}

void attention(In<float, 2> q, In<float, 2> k, In<float, 2> v, Out<float, 2> o) {
  if (q.size[1] != kDepth || v.size[1] != kDepth) return anyAttention(q, k, v, o);
  const std::size_t rows = q.size[0], keys = k.size[0], tiles = (keys + kKeys - 1) / kKeys;
  const float scale = 1 / std::sqrt(static_cast<float>(kDepth)), lowest = std::numeric_limits<float>::lowest();
  // Tiles of keys, turned: neighbouring keys are a vector.
  const std::unique_ptr<float[]> turned(new float[tiles * kDepth * kKeys]);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t t = 0; t < tiles; ++t)
      for (std::size_t j = 0; j < kKeys; ++j)
        for (std::size_t d = 0; d < kDepth; ++d)
          turned[(t * kDepth + d) * kKeys + j] = t * kKeys + j < keys ? k.data[(t * kKeys + j) * kDepth + d] : 0;
#pragma omp for schedule(dynamic)
    for (std::size_t first = 0; first < rows; first += kQueries) {
      const std::size_t many = std::min(kQueries, rows - first);
      float queries[kQueries][kDepth] = {}, results[kQueries][kDepth] = {}, scores[kQueries][kKeys];
      float most[kQueries], sum[kQueries] = {}, factor[kQueries];
      std::fill(most, most + kQueries, lowest);
      std::copy(q.data + first * kDepth, q.data + (first + many) * kDepth, queries[0]);
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t there = std::min(kKeys, keys - t * kKeys);
        scoresOf(queries[0], turned.get() + t * kDepth * kKeys, scale, scores);
        for (std::size_t r = 0; r < many; ++r) {
          float *row = scores[r], greatest = most[r], added = 0;
#pragma omp simd reduction(max : greatest)
          for (std::size_t j = 0; j < there; ++j) greatest = std::max(greatest, row[j]);
#pragma omp simd reduction(+ : added)
          for (std::size_t j = 0; j < there; ++j) {
            row[j] = std::exp(row[j] - greatest);
            added += row[j];
          }
          factor[r] = std::exp(most[r] - greatest);
          sum[r] = factor[r] * sum[r] + added;
          most[r] = greatest;
        }
        for (std::size_t r = many; r < kQueries; ++r) factor[r] = 0;
        addValues(scores, v.data + t * kKeys * kDepth, there, factor, results);
      }
      for (std::size_t r = 0; r < many; ++r)
        for (std::size_t d = 0; d < kDepth; ++d) o.data[(first + r) * kDepth + d] = results[r][d] / sum[r];
    }
  }
}

// ---- blackscholes: by a polynomial for the logarithm of erfc, of which vectors are made

void blackscholes(float rate, float volatility, In<float, 1> price, In<float, 1> strike, In<float, 1> years,
                  Out<float, 1> call, Out<float, 1> put) {
  const std::size_t n = price.size[0];
  const float drift = rate + volatility * volatility / 2;
  // How much of the normal distribution is beyond a number that is not negative.
  auto tail = [](float x) {
    const float z = 0.70710678f * std::min(x, 10.0f), t = 1 / (1 + z / 2); // what is less is nothing
    const float logarithm =
        -1.26541507f +
        t * (0.997978302f +
             t * (0.39215495f +
                  t * (0.00868708462f +
                       t * (0.0763455191f +
                            t * (-0.219760443f +
                                 t * (-0.529553268f + t * (1.03276993f + t * (-0.628631684f + t * 0.135424719f))))))));
    return 0.5f * t * std::exp(logarithm - z * z);
  };
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    const float s = price.data[i], x = strike.data[i], t = years.data[i];
    const float deviation = volatility * std::sqrt(t);
    const float d1 = (std::log(s / x) + drift * t) / deviation, d2 = d1 - deviation;
    const float tail1 = tail(std::fabs(d1)), tail2 = tail(std::fabs(d2)), discounted = x * std::exp(-rate * t);
    call.data[i] = s * (d1 > 0 ? 1 - tail1 : tail1) - discounted * (d2 > 0 ? 1 - tail2 : tail2);
    put.data[i] = discounted * (d2 > 0 ? tail2 : 1 - tail2) - s * (d1 > 0 ? tail1 : 1 - tail1);
  }
}

// ---- mandelbrot: vectors of points, two at a time; whether any is left is asked after some steps

void mandelbrot(float left, float top, float step, int limit, Out<int, 2> count) {
  const std::size_t height = count.size[0], width = count.size[1];
  constexpr std::size_t kBoth = 2, kPoints = kBoth * kWide;
  constexpr int kSteps = 8;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < height; ++i) {
    const float cy = top + static_cast<float>(i) * step;
    for (std::size_t j = 0; j < width; j += kPoints) {
      Vector cx[kBoth] = {}, x[kBoth] = {}, y[kBoth] = {};
      Counts inside[kBoth] = {~Counts{}, ~Counts{}}, n[kBoth] = {};
      for (std::size_t b = 0; b < kBoth; ++b)
        for (std::size_t l = 0; l < kWide; ++l) cx[b][l] = left + static_cast<float>(j + b * kWide + l) * step;
      auto once = [&] {
#pragma GCC unroll 2
        for (std::size_t b = 0; b < kBoth; ++b) {
          const Vector xx = x[b] * x[b], yy = y[b] * y[b];
          inside[b] &= xx + yy <= 4; // for good: what has left may be anything
          n[b] -= inside[b];
          y[b] = (x[b] + x[b]) * y[b] + cy;
          x[b] = xx - yy + cx[b];
        }
      };
      auto any = [&] {
        const Counts both = inside[0] | inside[1];
        int all = 0;
#pragma GCC unroll 16
        for (std::size_t l = 0; l < kWide; ++l) all |= both[l];
        return all != 0;
      };
      int done = 0;
      for (; done + kSteps <= limit && any(); done += kSteps)
#pragma GCC unroll 8
        for (int s = 0; s < kSteps; ++s) once();
      if (done + kSteps > limit)
        for (; done < limit; ++done) once();
      for (std::size_t b = 0; b < kBoth; ++b)
        for (std::size_t l = 0; l < kWide && j + b * kWide + l < width; ++l)
          count.data[i * width + j + b * kWide + l] = n[b][l];
    }
  }
}

// ---- blur: a thread's rows that were blurred along are a ring, of which nine make a row of the result

void blur(In<float, 2> in, In<float, 1> weights, Out<float, 2> out) {
  using Index = std::ptrdiff_t;
  constexpr Index kTap = 9, kReach = 4, kStrip = 64;
  const Index height = static_cast<Index>(in.size[0]), width = static_cast<Index>(in.size[1]);
  float w[kTap];
  std::copy(weights.data, weights.data + kTap, w);
#pragma omp parallel
  {
    const std::unique_ptr<float[]> ring(new float[kTap * width]);
    auto along = [&](Index row) { // of -kReach to height + kReach
      const float *from = in.data + std::clamp<Index>(row, 0, height - 1) * width;
      float *to = ring.get() + (row + kTap) % kTap * width;
      auto edge = [&](Index j) {
        float sum = 0;
        for (Index k = 0; k < kTap; ++k) sum += w[k] * from[std::clamp<Index>(j + k - kReach, 0, width - 1)];
        to[j] = sum;
      };
      const Index begin = std::min(kReach, width), end = std::max(begin, width - kReach);
      for (Index j = 0; j < begin; ++j) edge(j);
#pragma omp simd
      for (Index j = begin; j < end; ++j) {
        float sum = 0;
#pragma GCC unroll 9
        for (Index k = 0; k < kTap; ++k) sum += w[k] * from[j + k - kReach];
        to[j] = sum;
      }
      for (Index j = end; j < width; ++j) edge(j);
    };
#pragma omp for schedule(static)
    for (Index top = 0; top < height; top += kStrip) {
      for (Index row = top - kReach; row < top + kReach; ++row) along(row);
      for (Index i = top; i < std::min(top + kStrip, height); ++i) {
        along(i + kReach);
        const float *rows[kTap];
        for (Index k = 0; k < kTap; ++k) rows[k] = ring.get() + (i + k - kReach + kTap) % kTap * width;
        float *to = out.data + i * width;
#pragma omp simd
        for (Index j = 0; j < width; ++j) {
          float sum = 0;
#pragma GCC unroll 9
          for (Index k = 0; k < kTap; ++k) sum += w[k] * rows[k][j];
          to[j] = sum;
        }
      }
    }
  }
}

// ---- sobel: vectors along rows, of which three stay in the cache

void sobel(In<float, 2> in, Out<float, 2> out) {
  const std::size_t height = in.size[0], width = in.size[1];
  if (height < 3 || width < 3) return;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 1; i < height - 1; ++i) {
    const float *above = in.data + (i - 1) * width, *here = above + width, *below = here + width;
    float *to = out.data + i * width;
#pragma omp simd
    for (std::size_t j = 1; j < width - 1; ++j) {
      const float left = above[j - 1] + 2 * here[j - 1] + below[j - 1];
      const float right = above[j + 1] + 2 * here[j + 1] + below[j + 1];
      const float up = above[j - 1] + 2 * above[j] + above[j + 1];
      const float down = below[j - 1] + 2 * below[j] + below[j + 1];
      to[j] = std::sqrt((right - left) * (right - left) + (down - up) * (down - up));
    }
  }
}

// ---- stencil27: blocks of rows, of which three planes stay in the cache; two rows at a time share what they load

void stencil27(In<float, 3> weights, In<float, 3> in, Out<float, 3> out) {
  constexpr std::size_t kRows = 32, kPlanes = 32;
  const std::size_t n0 = in.size[0], n1 = in.size[1], n2 = in.size[2], plane = n1 * n2;
  if (n0 < 3 || n1 < 3 || n2 < 3) return;
  float w[3][3][3];
  std::copy(weights.data, weights.data + 27, &w[0][0][0]);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t top = 1; top < n0 - 1; top += kPlanes)
    for (std::size_t left = 1; left < n1 - 1; left += kRows)
      for (std::size_t i = top; i < std::min(top + kPlanes, n0 - 1); ++i) {
        const std::size_t end = std::min(left + kRows, n1 - 1);
        std::size_t j = left;
        for (; j + 1 < end; j += 2) {
          const float *from = in.data + (i - 1) * plane + (j - 1) * n2;
          float *to = out.data + i * plane + j * n2;
#pragma omp simd
          for (std::size_t k = 1; k < n2 - 1; ++k) {
            float first = 0, second = 0;
#pragma GCC unroll 3
            for (std::size_t a = 0; a < 3; ++a)
#pragma GCC unroll 4
              for (std::size_t b = 0; b < 4; ++b)
#pragma GCC unroll 3
                for (std::size_t c = 0; c < 3; ++c) {
                  const float x = from[a * plane + b * n2 + k + c - 1];
                  if (b < 3) first += w[a][b][c] * x;
                  if (b > 0) second += w[a][b - 1][c] * x;
                }
            to[k] = first;
            to[n2 + k] = second;
          }
        }
        for (; j < end; ++j) {
          const float *from = in.data + (i - 1) * plane + (j - 1) * n2;
          float *to = out.data + i * plane + j * n2;
#pragma omp simd
          for (std::size_t k = 1; k < n2 - 1; ++k) {
            float sum = 0;
#pragma GCC unroll 27
            for (std::size_t t = 0; t < 27; ++t)
              sum += w[t / 9][t / 3 % 3][t % 3] * from[t / 9 * plane + t / 3 % 3 * n2 + k + t % 3 - 1];
            to[k] = sum;
          }
        }
      }
}

// ---- argmax: the greatest of blocks, and then where it stands in the first block that has it

void argmax(In<float, 2> in, Out<int, 1> out) {
  constexpr std::size_t kBlock = 512;
  const std::size_t n = in.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < in.size[0]; ++i) {
    const float *row = in.data + i * n;
    float most = std::numeric_limits<float>::lowest();
    std::size_t block = 0;
    for (std::size_t first = 0; first < n; first += kBlock) {
      const std::size_t end = std::min(first + kBlock, n);
      float here = most;
#pragma omp simd reduction(max : here)
      for (std::size_t j = first; j < end; ++j) here = std::max(here, row[j]);
      if (here > most) most = here, block = first;
    }
    std::size_t at = block;
    while (at < n && row[at] != most) ++at;
    out.data[i] = at < n ? static_cast<int>(at) : 0;
  }
}

// ---- nearest: a point a lane, with all its numbers in registers

void nearest(In<float, 2> points, In<float, 2> centers, Out<int, 1> out) {
  constexpr std::size_t kDimensions = 16;
  const std::size_t n = points.size[0], many = centers.size[0];
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < n; first += kWide) {
    const std::size_t there = std::min(kWide, n - first);
    Vector own[kDimensions] = {}, least;
    Counts at = {};
    for (std::size_t l = 0; l < kWide; ++l) least[l] = std::numeric_limits<float>::max();
    for (std::size_t l = 0; l < there; ++l)
      for (std::size_t d = 0; d < kDimensions; ++d) own[d][l] = points.data[(first + l) * kDimensions + d];
    for (std::size_t c = 0; c < many; ++c) {
      const float *center = centers.data + c * kDimensions;
      Vector even = {}, odd = {}; // two chains of sums
#pragma GCC unroll 16
      for (std::size_t d = 0; d < kDimensions; d += 2) {
        const Vector x = own[d] - center[d], y = own[d + 1] - center[d + 1];
        even += x * x;
        odd += y * y;
      }
      const Vector distance = even + odd;
      const Counts nearer = distance < least;
      least = nearer ? distance : least;
      at = nearer ? Counts{} + static_cast<int>(c) : at;
    }
    for (std::size_t l = 0; l < there; ++l) out.data[first + l] = at[l];
  }
}

// ---- upsample: a row between two rows, of which each pixel makes two

void upsample(In<float, 2> in, Out<float, 2> out) {
  const std::size_t height = in.size[0], width = in.size[1];
  if (height == 0 || width == 0) return;
#pragma omp parallel
  {
    const std::unique_ptr<float[]> between(new float[width]);
    float *row = between.get();
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < 2 * height; ++i) {
      // 3/4 of the nearer row, 1/4 of the other one
      const std::size_t near = i / 2, far = i % 2 ? std::min(near + 1, height - 1) : std::max<std::size_t>(near, 1) - 1;
      const float *a = in.data + near * width, *b = in.data + far * width;
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) row[j] = 0.75f * a[j] + 0.25f * b[j];
      float *to = out.data + i * 2 * width;
      to[0] = row[0];
#pragma omp simd
      for (std::size_t j = 0; j < width - 1; ++j) {
        to[2 * j + 1] = 0.75f * row[j] + 0.25f * row[j + 1];
        to[2 * j + 2] = 0.25f * row[j] + 0.75f * row[j + 1];
      }
      to[2 * width - 1] = row[width - 1];
    }
  }
}

// ---- fir: eight vectors of results in registers

void fir(In<float, 1> in, In<float, 1> taps, Out<float, 1> out) {
  constexpr std::size_t kTaps = 128, kVectors = 8, kTile = kVectors * kWide;
  const std::size_t n = out.size[0], whole = n / kTile * kTile;
  const float *w = taps.data;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < whole; i += kTile) {
    Vector sum[kVectors] = {};
    const float *from = in.data + i;
    for (std::size_t k = 0; k < kTaps; ++k)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] += w[k] * vector(from + k + v * kWide);
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) vector(out.data + i + v * kWide) = sum[v];
  }
  for (std::size_t i = whole; i < n; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < kTaps; ++k) sum += w[k] * in.data[i + k];
    out.data[i] = sum;
  }
}

// ---- embedding: a sum in registers; rows of the next bag are on their way meanwhile

void embedding(In<float, 2> table, In<int, 2> index, Out<float, 2> out) {
  constexpr std::size_t kBag = 32, kRow = 128, kVectors = kRow / kWide, kLine = 64 / sizeof(float);
  const std::size_t bags = index.size[0];
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < bags; ++b) {
    const int *own = index.data + b * kBag, *next = b + 1 < bags ? own + kBag : own;
    Vector sum[kVectors] = {};
    for (std::size_t k = 0; k < kBag; ++k) {
      const float *ahead = table.data + static_cast<std::size_t>(next[k]) * kRow;
      for (std::size_t l = 0; l < kRow; l += kLine) __builtin_prefetch(ahead + l);
      const float *row = table.data + static_cast<std::size_t>(own[k]) * kRow;
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] += vector(row + v * kWide);
    }
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) vector(out.data + b * kRow + v * kWide) = sum[v];
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<layernorm> layernormPeer("layernorm", "openmp", {"epsilon", "in", "gain", "bias", "out"});
const Peer<attention> attentionPeer("attention", "openmp", {"q", "k", "v", "o"});
const Peer<blackscholes> blackscholesPeer("blackscholes", "openmp",
                                          {"rate", "volatility", "price", "strike", "years", "call", "put"});
const Peer<mandelbrot> mandelbrotPeer("mandelbrot", "openmp", {"left", "top", "step", "limit", "count"});
const Peer<blur> blurPeer("blur", "openmp", {"in", "weights", "out"});
const Peer<sobel> sobelPeer("sobel", "openmp", {"in", "out"});
const Peer<stencil27> stencil27Peer("stencil27", "openmp", {"weights", "in", "out"});
const Peer<argmax> argmaxPeer("argmax", "openmp", {"in", "out"});
const Peer<nearest> nearestPeer("nearest", "openmp", {"points", "centers", "out"});
const Peer<upsample> upsamplePeer("upsample", "openmp", {"in", "out"});
const Peer<fir> firPeer("fir", "openmp", {"in", "taps", "out"});
const Peer<embedding> embeddingPeer("embedding", "openmp", {"table", "index", "out"});

#ifdef TANGRAM_BENCH_OPENBLAS

// ---- products with a transpose are symmetric: half of one is computed, and mirrored by blocks

constexpr std::size_t kMirrored = 32;

/// For each i and j <= i, by blocks: `at(i, j)`.
template <class F> void byHalves(std::size_t n, F at) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t top = 0; top < n; top += kMirrored)
    for (std::size_t left = 0; left <= top; left += kMirrored)
      for (std::size_t i = top; i < std::min(top + kMirrored, n); ++i)
        for (std::size_t j = left; j < std::min(left + kMirrored, i + 1); ++j) at(i, j);
}

void syrk(double alpha, double beta, In<double, 2> a, Out<double, 2> c) {
  const std::size_t n = c.size[0];
  const int rows = static_cast<int>(n), k = static_cast<int>(a.size[1]);
  const std::unique_ptr<double[]> t(new double[n * n]);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, k, alpha, a.data, k, 0, t.get(), rows);
  byHalves(n, [&](std::size_t i, std::size_t j) {
    const double sum = t[i * n + j];
    c.data[i * n + j] = beta * c.data[i * n + j] + sum;
    if (i != j) c.data[j * n + i] = beta * c.data[j * n + i] + sum;
  });
}

void covariance(Out<double, 2> data, Out<double, 2> result) {
  const std::size_t n = data.size[0], m = data.size[1];
  const std::unique_ptr<double[]> mean(new double[m]());
#pragma omp parallel
  {
    const std::unique_ptr<double[]> own(new double[m]());
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) own[j] += data.data[i * m + j];
#pragma omp critical
    for (std::size_t j = 0; j < m; ++j) mean[j] += own[j] / static_cast<double>(n);
#pragma omp barrier
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) data.data[i * m + j] -= mean[j];
  }
  const int columns = static_cast<int>(m);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, columns, static_cast<int>(n), 1 / (static_cast<double>(n) - 1),
              data.data, columns, 0, result.data, columns);
  byHalves(m, [&](std::size_t i, std::size_t j) { result.data[j * m + i] = result.data[i * m + j]; });
}

const Peer<syrk> syrkPeer("syrk", "openblas", {"alpha", "beta", "a", "c"});
const Peer<covariance> covariancePeer("covariance", "openblas", {"data", "result"});

#define BLAS_PEERS , &syrkPeer.kernel, &covariancePeer.kernel
#else
#define BLAS_PEERS
#endif

} // namespace

BENCH_PEERS(&layernormPeer.kernel, &attentionPeer.kernel, &blackscholesPeer.kernel, &mandelbrotPeer.kernel,
            &blurPeer.kernel, &sobelPeer.kernel, &stencil27Peer.kernel, &argmaxPeer.kernel, &nearestPeer.kernel,
            &upsamplePeer.kernel, &firPeer.kernel, &embeddingPeer.kernel BLAS_PEERS)
