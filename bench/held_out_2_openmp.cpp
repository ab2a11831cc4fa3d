// The programs of apps/held-out-2 as one would write them for a CPU: OpenMP, blocked for caches and registers; OpenBLAS
// for linear algebra. Compiled with -ffast-math, by which GCC has functions of vectors.
#include "peer_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <omp.h>
#include <vector>
#ifdef TANGRAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace careful;

// ---- fdtd2d: a step is one pass over memory. hz of a row is computed behind ey and ex of the next one; of a thread's
// last row, when the next thread has its first one.

void fdtd2d(In<double, 1> source, Out<double, 2> ex, Out<double, 2> ey, Out<double, 2> hz) {
  const std::size_t nx = hz.size[0], ny = hz.size[1];
  if (nx == 0 || ny == 0) return;
  double *x = ex.data, *y = ey.data, *z = hz.data;
  auto magnetic = [=](std::size_t i) {
    if (i + 1 >= nx) return;
    const double *xi = x + i * ny, *yi = y + i * ny, *below = yi + ny;
    double *zi = z + i * ny;
#pragma omp simd
    for (std::size_t j = 0; j < ny - 1; ++j) zi[j] -= 0.7 * (xi[j + 1] - xi[j] + below[j] - yi[j]);
  };
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = nx * own / threads, end = nx * (own + 1) / threads;
    for (std::size_t t = 0; t < source.size[0]; ++t) {
      for (std::size_t i = begin; i < end; ++i) {
        double *xi = x + i * ny, *yi = y + i * ny;
        const double *zi = z + i * ny, *above = zi - ny;
        if (i == 0) {
          std::fill(yi, yi + ny, source.data[t]);
        } else {
#pragma omp simd
          for (std::size_t j = 0; j < ny; ++j) yi[j] -= 0.5 * (zi[j] - above[j]);
        }
#pragma omp simd
        for (std::size_t j = 1; j < ny; ++j) xi[j] -= 0.5 * (zi[j] - zi[j - 1]);
        if (i > begin) magnetic(i - 1);
      }
#pragma omp barrier
      if (begin < end) magnetic(end - 1);
#pragma omp barrier
    }
  }
}

// ---- floyd: by tiles in three phases (the diagonal one, those of its row and column, all others), padded

constexpr std::size_t kTile = 64;
using Tile = int[kTile * kTile];

/// own = min(own, left + right): of three tiles that differ, four rows of numbers in registers.
void shorten(int *own, const int *left, const int *right) {
  constexpr std::size_t kRows = 4, kVectors = 4, kColumns = kVectors * kWide;
  for (std::size_t i = 0; i < kTile; i += kRows)
    for (std::size_t j = 0; j < kTile; j += kColumns) {
      Counts sum[kRows][kVectors];
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = counts(own + (i + r) * kTile + j + v * kWide);
      for (std::size_t k = 0; k < kTile; ++k)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Counts to = counts(right + k * kTile + j + v * kWide);
#pragma GCC unroll 4
          for (std::size_t r = 0; r < kRows; ++r) {
            const Counts through = left[(i + r) * kTile + k] + to;
            sum[r][v] = through < sum[r][v] ? through : sum[r][v];
          }
        }
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) counts(own + (i + r) * kTile + j + v * kWide) = sum[r][v];
    }
}

/// The same of tiles that may be one.
void shortenInPlace(int *own, const int *left, const int *right) {
  for (std::size_t k = 0; k < kTile; ++k)
    for (std::size_t i = 0; i < kTile; ++i) {
      const int first = left[i * kTile + k];
#pragma omp simd
      for (std::size_t j = 0; j < kTile; ++j)
        own[i * kTile + j] = std::min(own[i * kTile + j], first + right[k * kTile + j]);
    }
}

void floyd(Out<int, 2> path) {
  const std::size_t n = path.size[0], tiles = (n + kTile - 1) / kTile;
  const std::unique_ptr<Tile[]> tile(new Tile[tiles * tiles]);
  auto at = [&](std::size_t i, std::size_t j) { return tile[i * tiles + j]; };
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < tiles * kTile; ++i)
      for (std::size_t j = 0; j < tiles * kTile; ++j)
        at(i / kTile, j / kTile)[i % kTile * kTile + j % kTile] =
            i < n && j < n ? path.data[i * n + j] : std::numeric_limits<int>::max() / 2;
    for (std::size_t k = 0; k < tiles; ++k) {
#pragma omp single
      shortenInPlace(at(k, k), at(k, k), at(k, k));
#pragma omp for schedule(dynamic)
      for (std::size_t t = 0; t < 2 * tiles; ++t) {
        const std::size_t other = t / 2;
        if (other == k) continue;
        if (t % 2)
          shortenInPlace(at(k, other), at(k, k), at(k, other));
        else
          shortenInPlace(at(other, k), at(other, k), at(k, k));
      }
#pragma omp for schedule(dynamic)
      for (std::size_t i = 0; i < tiles; ++i)
        for (std::size_t j = 0; j < tiles; ++j)
          if (i != k && j != k) shorten(at(i, j), at(i, k), at(k, j));
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        path.data[i * n + j] = at(i / kTile, j / kTile)[i % kTile * kTile + j % kTile];
  }
}

// ---- conv2d: images with zeros around; eight channels of a row's vectors in registers, for which weights lie together

void conv2d(In<float, 4> in, In<float, 4> weights, In<float, 1> bias, Out<float, 4> out) {
  constexpr std::size_t kOwn = 8, kPair = 2 * kWide;
  const std::size_t images = in.size[0], channels = in.size[1], height = in.size[2], width = in.size[3];
  const std::size_t results = out.size[1], groups = (results + kOwn - 1) / kOwn;
  const std::size_t whole = (width + kPair - 1) / kPair * kPair, pitch = whole + 2, plane = (height + 2) * pitch;
  const std::unique_ptr<float[]> padded(new float[images * channels * plane]),
      w(new float[groups * channels * 9 * kOwn]);
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::size_t p = 0; p < images * channels; ++p) {
      float *to = padded.get() + p * plane;
      std::fill(to, to + plane, 0.0f);
      for (std::size_t y = 0; y < height; ++y)
        std::copy_n(in.data + (p * height + y) * width, width, to + (y + 1) * pitch + 1);
    }
#pragma omp for schedule(static)
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t c = 0; c < channels * 9; ++c)
        for (std::size_t o = 0; o < kOwn; ++o)
          w[(g * channels * 9 + c) * kOwn + o] =
              g * kOwn + o < results ? weights.data[(g * kOwn + o) * channels * 9 + c] : 0;
#pragma omp for collapse(3) schedule(static)
    for (std::size_t n = 0; n < images; ++n)
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t y = 0; y < height; ++y)
          for (std::size_t x = 0; x < width; x += kPair) {
            Vector sum[kOwn][2] = {};
            for (std::size_t c = 0; c < channels; ++c) {
              const float *from = padded.get() + (n * channels + c) * plane + y * pitch + x;
              const float *by = w.get() + (g * channels + c) * 9 * kOwn;
#pragma GCC unroll 3
              for (std::size_t r = 0; r < 3; ++r)
#pragma GCC unroll 3
                for (std::size_t s = 0; s < 3; ++s) {
                  const Vector left = vector(from + r * pitch + s), right = vector(from + r * pitch + s + kWide);
#pragma GCC unroll 8
                  for (std::size_t o = 0; o < kOwn; ++o) {
                    const float one = by[(r * 3 + s) * kOwn + o];
                    sum[o][0] += one * left;
                    sum[o][1] += one * right;
                  }
                }
            }
            for (std::size_t o = 0; o < kOwn && g * kOwn + o < results; ++o) {
              float *to = out.data + ((n * results + g * kOwn + o) * height + y) * width + x;
              const float add = bias.data[g * kOwn + o];
              if (x + kPair <= width) {
                vector(to) = sum[o][0] + add;
                vector(to + kWide) = sum[o][1] + add;
              } else {
                for (std::size_t l = 0; l < width - x; ++l) to[l] = sum[o][l / kWide][l % kWide] + add;
              }
            }
          }
  }
}

// ---- batchnorm: a channel's sums, and then its results, while it is in the cache

void batchnorm(float epsilon, In<float, 4> in, In<float, 1> gain, In<float, 1> bias, Out<float, 1> mean,
               Out<float, 1> variance, Out<float, 4> out) {
  const std::size_t images = in.size[0], channels = in.size[1], plane = in.size[2] * in.size[3];
  const float count = static_cast<float>(images * plane);
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < channels; ++c) {
    float sum = 0, squares = 0;
    for (std::size_t n = 0; n < images; ++n) {
      const float *from = in.data + (n * channels + c) * plane;
#pragma omp simd reduction(+ : sum, squares)
      for (std::size_t i = 0; i < plane; ++i) {
        sum += from[i];
        squares += from[i] * from[i];
      }
    }
    const float m = sum / count, v = squares / count - m * m;
    mean.data[c] = m;
    variance.data[c] = v;
    const float scale = gain.data[c] / std::sqrt(v + epsilon), add = bias.data[c] - m * scale;
    for (std::size_t n = 0; n < images; ++n) {
      const float *from = in.data + (n * channels + c) * plane;
      float *to = out.data + (n * channels + c) * plane;
#pragma omp simd
      for (std::size_t i = 0; i < plane; ++i) to[i] = from[i] * scale + add;
    }
  }
}

// ---- crossentropy: a row stays in the cache between its maximum and its sum

void crossentropy(In<float, 2> logits, In<int, 1> label, Result<float> result) {
  const std::size_t rows = logits.size[0], n = logits.size[1];
  float loss = 0;
#pragma omp parallel for schedule(static) reduction(+ : loss)
  for (std::size_t i = 0; i < rows; ++i) {
    const float *from = logits.data + i * n;
    float most = std::numeric_limits<float>::lowest(), sum = 0;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < n; ++j) most = std::max(most, from[j]);
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n; ++j) sum += std::exp(from[j] - most);
    loss += std::log(sum) + most - from[label.data[i]];
  }
  *result.data = loss / static_cast<float>(rows);
}

// ---- q8gemv: the zero point is taken from the sums; four rows share what they load of the vector

void q8gemv(In<Byte, 2> weights, In<float, 1> scale, In<Byte, 1> zero, In<float, 1> x, Out<float, 1> y) {
  constexpr std::size_t kRows = 4;
  const std::size_t rows = weights.size[0], n = weights.size[1];
  float all = 0;
#pragma omp simd reduction(+ : all)
  for (std::size_t j = 0; j < n; ++j) all += x.data[j];
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < rows; first += kRows) {
    const Byte *row[kRows];
    for (std::size_t r = 0; r < kRows; ++r) row[r] = weights.data + std::min(first + r, rows - 1) * n;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (std::size_t j = 0; j < n; ++j) {
      const float by = x.data[j];
      s0 += static_cast<float>(row[0][j]) * by;
      s1 += static_cast<float>(row[1][j]) * by;
      s2 += static_cast<float>(row[2][j]) * by;
      s3 += static_cast<float>(row[3][j]) * by;
    }
    const float sums[kRows] = {s0, s1, s2, s3};
    for (std::size_t i = first; i < std::min(first + kRows, rows); ++i)
      y.data[i] = scale.data[i] * (sums[i - first] - static_cast<float>(zero.data[i]) * all);
  }
}

// ---- equalize: four histograms a thread, so that equal neighbours do not wait for each other

void equalize(In<Byte, 3> in, Out<Byte, 2> out) {
  constexpr std::size_t kLevels = 256, kApart = 4, kRun = 4096;
  const std::size_t n = out.size[0] * out.size[1];
  std::array<int, kLevels> histogram{};
  Byte level[kLevels] = {};
#pragma omp parallel
  {
    int own[kApart][kLevels] = {};
#pragma omp for schedule(static)
    for (std::size_t begin = 0; begin < n; begin += kRun) {
      const std::size_t end = std::min(begin + kRun, n);
      Byte *to = out.data;
      const Byte *from = in.data;
#pragma omp simd
      for (std::size_t i = begin; i < end; ++i)
        to[i] = static_cast<Byte>((77 * from[3 * i] + 150 * from[3 * i + 1] + 29 * from[3 * i + 2]) / 256);
      std::size_t i = begin;
      for (; i + kApart <= end; i += kApart)
#pragma GCC unroll 4
        for (std::size_t a = 0; a < kApart; ++a) ++own[a][to[i + a]];
      for (; i < end; ++i) ++own[0][to[i]];
    }
#pragma omp critical
    for (std::size_t g = 0; g < kLevels; ++g) histogram[g] += own[0][g] + own[1][g] + own[2][g] + own[3][g];
#pragma omp barrier
#pragma omp single
    {
      std::size_t first = 0;
      while (first < kLevels - 1 && histogram[first] == 0) ++first;
      const int rest = std::max(static_cast<int>(n) - histogram[first], 1);
      long sum = 0;
      for (std::size_t g = 0; g < kLevels; ++g) {
        if (g > first) sum += histogram[g];
        level[g] = static_cast<Byte>(sum * 255 / rest);
      }
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) out.data[i] = level[out.data[i]];
  }
}

// ---- bilateral: rows with the pixels of the edge around; vectors of pixels; weights by distance are a table

void bilateral(float near, float alike, In<float, 2> in, Out<float, 2> out) {
  constexpr std::ptrdiff_t kReach = 4, kSide = 2 * kReach + 1, kRun = 64;
  const auto height = static_cast<std::ptrdiff_t>(in.size[0]), width = static_cast<std::ptrdiff_t>(in.size[1]);
  float logarithm[kSide][kSide];
  for (std::ptrdiff_t i = -kReach; i <= kReach; ++i)
    for (std::ptrdiff_t j = -kReach; j <= kReach; ++j)
      logarithm[i + kReach][j + kReach] = -static_cast<float>(i * i + j * j) / (2 * near * near);
  const float factor = -1 / (2 * alike * alike);
  const std::ptrdiff_t whole = (width + kRun - 1) / kRun * kRun, pitch = whole + 2 * kReach;
  const std::unique_ptr<float[]> padded(new float[height * pitch]);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < height; ++i)
      for (std::ptrdiff_t j = 0; j < pitch; ++j)
        padded[i * pitch + j] = in.data[i * width + std::clamp<std::ptrdiff_t>(j - kReach, 0, width - 1)];
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < height; ++i)
      for (std::ptrdiff_t first = 0; first < width; first += kRun) {
        float sum[kRun] = {}, weights[kRun] = {};
        const float *here = padded.get() + i * pitch + first + kReach;
        for (std::ptrdiff_t r = 0; r < kSide; ++r) {
          const float *row = padded.get() + std::clamp<std::ptrdiff_t>(i + r - kReach, 0, height - 1) * pitch + first;
          for (std::ptrdiff_t s = 0; s < kSide; ++s) {
            const float distance = logarithm[r][s];
#pragma omp simd
            for (std::ptrdiff_t j = 0; j < kRun; ++j) {
              const float other = row[j + s], difference = other - here[j];
              const float weight = std::exp(distance + difference * difference * factor);
              sum[j] += weight * other;
              weights[j] += weight;
            }
          }
        }
        float *to = out.data + i * width + first;
        for (std::ptrdiff_t j = 0; j < std::min(kRun, width - first); ++j) to[j] = sum[j] / weights[j];
      }
  }
}

// ---- compact: each thread counts what it has, and then writes it where it belongs, a vector at a time

void compact(float threshold, In<float, 1> in, Out<float, 1> out, Result<std::size_t> result) {
  const std::size_t n = in.size[0];
  std::vector<std::size_t> before(omp_get_max_threads() + 1);
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = n * own / threads, end = n * (own + 1) / threads;
    std::size_t many = 0;
#pragma omp simd reduction(+ : many)
    for (std::size_t i = begin; i < end; ++i) many += in.data[i] > threshold;
    before[own + 1] = many;
#pragma omp barrier
    std::size_t at = 0, i = begin;
    for (std::size_t t = 0; t <= own; ++t) at += before[t];
    if (own == threads - 1) *result.data = at + many;
#ifdef __AVX512F__
    const __m512 least = _mm512_set1_ps(threshold);
    for (; i + kWide <= end; i += kWide) {
      const __m512 x = _mm512_loadu_ps(in.data + i);
      const __mmask16 above = _mm512_cmp_ps_mask(x, least, _CMP_GT_OQ);
      const auto there = static_cast<unsigned>(__builtin_popcount(above));
      _mm512_mask_storeu_ps(out.data + at, static_cast<__mmask16>((1u << there) - 1),
                            _mm512_maskz_compress_ps(above, x));
      at += there;
    }
#endif
    for (; i < end; ++i)
      if (in.data[i] > threshold) out.data[at++] = in.data[i];
  }
}

// ---- smithwaterman: tiles along antidiagonals; in a row, what comes from the left is a running maximum, which vectors
// compute in a logarithm of steps

void smithwaterman(In<Byte, 1> a, In<Byte, 1> b, Out<int, 2> score, Result<int> result) {
  constexpr std::size_t kRows = 128, kColumns = 1024;
  constexpr int kMatch = 3, kOther = -2, kGap = 2;
  const std::size_t n = a.size[0], m = b.size[0], pitch = m + 1;
  std::fill_n(score.data, pitch, 0);
  const std::size_t down = (n + kRows - 1) / kRows, across = (m + kColumns - 1) / kColumns;
  int best = 0;
  Counts ramp{}, lane{};
  for (std::size_t l = 0; l < kWide; ++l) {
    lane[l] = static_cast<int>(l);
    ramp[l] = kGap * static_cast<int>(l);
  }
  auto tile = [&](std::size_t top, std::size_t left) {
    const std::size_t right = std::min(left + kColumns, m);
    int most = 0;
    for (std::size_t i = top; i < std::min(top + kRows, n); ++i) {
      const int *above = score.data + i * pitch; // of column j - 1
      int *to = score.data + (i + 1) * pitch + 1;
      if (left == 0) to[-1] = 0;
      int before = to[static_cast<std::ptrdiff_t>(left) - 1];
      std::size_t j = left;
      Counts greatest{};
      for (; j + kWide <= right; j += kWide) {
        Counts same;
        for (std::size_t l = 0; l < kWide; ++l) same[l] = b.data[j + l] == a.data[i] ? kMatch : kOther;
        const Counts match = counts(above + j) + same, up = counts(above + j + 1) - kGap;
        Counts x = match > up ? match : up;
        x = (x > 0 ? x : 0) + ramp; // what is lost on the way is in it
#pragma GCC unroll 4
        for (int s = 1; s < static_cast<int>(kWide); s *= 2) {
          const Counts from = __builtin_shuffle(x, lane - s);
          x = (lane >= s) & (from > x) ? from : x;
        }
        const Counts come = Counts{} + (before - kGap);
        x = x > come ? x : come;
        x -= ramp;
        counts(to + j) = x;
        greatest = greatest > x ? greatest : x;
        before = x[kWide - 1];
      }
      for (; j < right; ++j) {
        const int match = above[j] + (b.data[j] == a.data[i] ? kMatch : kOther);
        before = std::max(std::max(match, std::max(above[j + 1], before) - kGap), 0);
        to[j] = before;
        most = std::max(most, before);
      }
      for (std::size_t l = 0; l < kWide; ++l) most = std::max(most, greatest[l]);
    }
    return most;
  };
#pragma omp parallel reduction(max : best)
  for (std::size_t d = 0; d + 1 < down + across; ++d) {
    const std::size_t first = d < across ? 0 : d - across + 1, last = std::min(d + 1, down);
#pragma omp for schedule(dynamic)
    for (std::size_t t = first; t < last; ++t) best = std::max(best, tile(t * kRows, (d - t) * kColumns));
  }
  if (m == 0) std::fill_n(score.data, n + 1, 0);
  *result.data = best;
}

// ---- lbm: vectors along rows; only the first and the last point of a row look around the torus

void lbm(float omega, In<float, 3> in, Out<float, 3> out) {
  constexpr int kAcross[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, kDown[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float kWeight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  const auto height = static_cast<std::ptrdiff_t>(in.size[1]), width = static_cast<std::ptrdiff_t>(in.size[2]);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    const float *from[9];
    float *to[9];
#pragma GCC unroll 9
    for (int q = 0; q < 9; ++q) {
      from[q] = in.data + (q * height + (y - kDown[q] + height) % height) * width;
      to[q] = out.data + (q * height + y) * width;
    }
    auto point = [&](std::ptrdiff_t x, auto before) {
      float f[9], density = 0, ux = 0, uy = 0;
#pragma GCC unroll 9
      for (int q = 0; q < 9; ++q) {
        f[q] = from[q][before(x - kAcross[q])];
        density += f[q];
        ux += static_cast<float>(kAcross[q]) * f[q];
        uy += static_cast<float>(kDown[q]) * f[q];
      }
      const float each = 1 / density;
      ux *= each;
      uy *= each;
      const float still = 1 - 1.5f * (ux * ux + uy * uy);
#pragma GCC unroll 9
      for (int q = 0; q < 9; ++q) {
        const float along = 3 * (static_cast<float>(kAcross[q]) * ux + static_cast<float>(kDown[q]) * uy);
        to[q][x] = f[q] + omega * (kWeight[q] * density * (still + along + 0.5f * along * along) - f[q]);
      }
    };
    auto wrapped = [=](std::ptrdiff_t x) { return (x + width) % width; };
    point(0, wrapped);
#pragma GCC ivdep
    for (std::ptrdiff_t x = 1; x < width - 1; ++x) point(x, [](std::ptrdiff_t own) { return own; });
    if (width > 1) point(width - 1, wrapped);
  }
}

// ---- dct: eight numbers are a vector; C and its transpose stay in the cache, a block in registers

void dct(In<float, 2> c, In<float, 2> in, Out<float, 2> out) {
  constexpr std::size_t kSide = 8;
  using Row = float __attribute__((vector_size(kSide * sizeof(float)), aligned(sizeof(float))));
  const std::size_t height = in.size[0], width = in.size[1];
  float turned[kSide][kSide];
  for (std::size_t u = 0; u < kSide; ++u)
    for (std::size_t x = 0; x < kSide; ++x) turned[x][u] = c.data[u * kSide + x];
#pragma omp parallel for schedule(static)
  for (std::size_t top = 0; top < height; top += kSide)
    for (std::size_t left = 0; left < width; left += kSide) {
      Row rows[kSide], t[kSide];
#pragma GCC unroll 8
      for (std::size_t y = 0; y < kSide; ++y)
        rows[y] = *reinterpret_cast<const Row *>(in.data + (top + y) * width + left);
#pragma GCC unroll 8
      for (std::size_t u = 0; u < kSide; ++u) {
        t[u] = c.data[u * kSide] * rows[0];
#pragma GCC unroll 8
        for (std::size_t y = 1; y < kSide; ++y) t[u] += c.data[u * kSide + y] * rows[y];
      }
#pragma GCC unroll 8
      for (std::size_t u = 0; u < kSide; ++u) {
        Row sum = t[u][0] * *reinterpret_cast<const Row *>(turned[0]);
#pragma GCC unroll 8
        for (std::size_t x = 1; x < kSide; ++x) sum += t[u][x] * *reinterpret_cast<const Row *>(turned[x]);
        *reinterpret_cast<Row *>(out.data + (top + u) * width + left) = sum;
      }
    }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<fdtd2d> fdtd2dPeer("fdtd2d", "openmp", {"source", "ex", "ey", "hz"});
const Peer<floyd> floydPeer("floyd", "openmp", {"path"});
const Peer<conv2d> conv2dPeer("conv2d", "openmp", {"in", "weights", "bias", "out"});
const Peer<batchnorm> batchnormPeer("batchnorm", "openmp",
                                    {"epsilon", "in", "gain", "bias", "mean", "variance", "out"});
const Peer<crossentropy> crossentropyPeer("crossentropy", "openmp", {"logits", "label", "result"});
const Peer<q8gemv> q8gemvPeer("q8gemv", "openmp", {"weights", "scale", "zero", "x", "y"});
const Peer<equalize> equalizePeer("equalize", "openmp", {"in", "out"});
const Peer<bilateral> bilateralPeer("bilateral", "openmp", {"near", "alike", "in", "out"});
const Peer<compact> compactPeer("compact", "openmp", {"threshold", "in", "out", "result"});
const Peer<smithwaterman> smithwatermanPeer("smithwaterman", "openmp", {"a", "b", "score", "result"});
const Peer<lbm> lbmPeer("lbm", "openmp", {"omega", "in", "out"});
const Peer<dct> dctPeer("dct", "openmp", {"c", "in", "out"});

#ifdef TANGRAM_BENCH_OPENBLAS

extern "C" void dpotrf_(const char *half, const int *n, double *a, const int *pitch, int *info);

void cholesky(double shift, Out<double, 2> a) {
  const int n = static_cast<int>(a.size[0]);
  for (std::size_t i = 0; i < a.size[0]; ++i) a.data[i * a.size[0] + i] += shift;
  int info = 0;
  if (n > 0) dpotrf_("U", &n, a.data, &n, &info); // by columns, the lower half is the upper one
}

void trmm(double alpha, In<double, 2> a, Out<double, 2> b) {
  const int m = static_cast<int>(b.size[0]), n = static_cast<int>(b.size[1]);
  cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, m, n, alpha, a.data, m, b.data, n);
}

const Peer<cholesky> choleskyPeer("cholesky", "openblas", {"shift", "a"});
const Peer<trmm> trmmPeer("trmm", "openblas", {"alpha", "a", "b"});

#define BLAS_PEERS , &choleskyPeer.kernel, &trmmPeer.kernel
#else
#define BLAS_PEERS
#endif

} // namespace

BENCH_PEERS(&fdtd2dPeer.kernel, &floydPeer.kernel, &conv2dPeer.kernel, &batchnormPeer.kernel, &crossentropyPeer.kernel,
            &q8gemvPeer.kernel, &equalizePeer.kernel, &bilateralPeer.kernel, &compactPeer.kernel,
            &smithwatermanPeer.kernel, &lbmPeer.kernel, &dctPeer.kernel BLAS_PEERS)
