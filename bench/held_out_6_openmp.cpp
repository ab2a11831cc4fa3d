// The programs of apps/held-out-6 as one would write them for a CPU: OpenMP, blocked for caches and registers. Compiled
// with -ffast-math, by which GCC has functions of vectors.
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

namespace {

using namespace careful;

inline float sumOf(Vector x) {
#ifdef __AVX512F__
  return _mm512_reduce_add_ps(x);
#else
  float sum = 0;
  for (std::size_t l = 0; l < kWide; ++l) sum += x[l];
  return sum;
#endif
}

inline bool aligned(const void *at) { return reinterpret_cast<std::uintptr_t>(at) % 64 == 0; }

/// Past the caches, where that is possible: `to` is aligned.
inline void stream(float *to, Vector x) {
#ifdef __AVX512F__
  _mm512_stream_ps(to, x);
#else
  vector(to) = x;
#endif
}

// ---- composite: 16 points of four bytes at a time

inline Byte overByte(unsigned over, unsigned under, unsigned through) {
  const unsigned x = under * through + 128;
  return static_cast<Byte>(std::min(over + ((x + (x >> 8)) >> 8), 255u));
}

#ifdef __AVX512BW__
inline __m512i over16(__m512i over, __m512i under) {
  const __m512i opaque = _mm512_broadcast_i32x4(_mm_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
  const __m512i through = _mm512_xor_si512(_mm512_shuffle_epi8(over, opaque), _mm512_set1_epi8(-1));
  const __m512i zero = _mm512_setzero_si512(), half = _mm512_set1_epi16(128);
  const auto scaled = [&](__m512i a, __m512i b) {
    const __m512i x = _mm512_add_epi16(_mm512_mullo_epi16(a, b), half);
    return _mm512_srli_epi16(_mm512_add_epi16(x, _mm512_srli_epi16(x, 8)), 8);
  };
  const __m512i low = scaled(_mm512_unpacklo_epi8(under, zero), _mm512_unpacklo_epi8(through, zero));
  const __m512i high = scaled(_mm512_unpackhi_epi8(under, zero), _mm512_unpackhi_epi8(through, zero));
  return _mm512_adds_epu8(over, _mm512_packus_epi16(low, high));
}
#endif

void composite(In<Byte, 3> over, In<Byte, 3> under, Out<Byte, 3> out) {
  const std::size_t points = out.size[0] * out.size[1];
  std::size_t done = 0;
#ifdef __AVX512BW__
  const std::size_t blocks = points / 16;
  done = blocks * 16;
  const bool past = aligned(out.data);
#pragma omp parallel for schedule(static)
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m512i x = over16(_mm512_loadu_si512(over.data + block * 64), _mm512_loadu_si512(under.data + block * 64));
    if (past)
      _mm512_stream_si512(reinterpret_cast<__m512i *>(out.data + block * 64), x);
    else
      _mm512_storeu_si512(out.data + block * 64, x);
  }
#endif
#pragma omp parallel for simd schedule(static)
  for (std::size_t p = done; p < points; ++p)
    for (std::size_t c = 0; c < 4; ++c)
      out.data[4 * p + c] = overByte(over.data[4 * p + c], under.data[4 * p + c], 255u - over.data[4 * p + 3]);
}

// ---- rope: a token's cosines and sines stay in the first cache for all of its heads

void rope(In<float, 3> q, In<unsigned, 1> position, In<float, 2> cosine, In<float, 2> sine, Out<float, 3> out) {
  const std::size_t tokens = q.size[0], heads = q.size[1], half = cosine.size[1], width = 2 * half;
  const bool past = half % kWide == 0 && aligned(out.data);
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < tokens; ++t) {
    const float *c = cosine.data + position.data[t] * half, *s = sine.data + position.data[t] * half;
    for (std::size_t h = 0; h < heads; ++h) {
      const float *from = q.data + (t * heads + h) * width;
      float *to = out.data + (t * heads + h) * width;
      if (past) {
        for (std::size_t d = 0; d < half; d += kWide) {
          const Vector a = vector(from + d), b = vector(from + half + d), cs = vector(c + d), sn = vector(s + d);
          stream(to + d, a * cs - b * sn);
          stream(to + half + d, b * cs + a * sn);
        }
      } else {
#pragma omp simd
        for (std::size_t d = 0; d < half; ++d) {
          const float a = from[d], b = from[half + d];
          to[d] = a * c[d] - b * s[d];
          to[half + d] = b * c[d] + a * s[d];
        }
      }
    }
  }
}

// ---- searchsorted: edges as a tree without pointers, whose first five levels are in registers; vectors go down it

void searchsorted(In<float, 1> edge, In<float, 1> in, Out<unsigned, 1> bin) {
  const std::size_t edges = edge.size[0], n = in.size[0];
  unsigned levels = 5;
  while ((std::size_t(1) << levels) <= edges) ++levels;
  const std::size_t all = std::size_t(1) << levels; // of bins; behind the edges there is the greatest number
  std::vector<float> tree(all, std::numeric_limits<float>::max());
  for (unsigned l = 0; l < levels; ++l)
    for (std::size_t k = 0; k < std::size_t(1) << l; ++k) {
      const std::size_t at = ((2 * k + 1) << (levels - l - 1)) - 1;
      if (at < edges) tree[(std::size_t(1) << l) + k] = edge.data[at];
    }
  const float *node = tree.data();
  std::size_t done = 0;
#ifdef __AVX512F__
  constexpr std::size_t kTogether = 4; // vectors, as each waits for its loads
  const std::size_t blocks = n / (16 * kTogether);
  done = blocks * 16 * kTogether;
  const __m512 low = _mm512_loadu_ps(node), high = _mm512_loadu_ps(node + 16);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i most = _mm512_set1_epi32(static_cast<int>(edges)), first = _mm512_set1_epi32(static_cast<int>(all));
  const bool past = aligned(bin.data);
#pragma omp parallel for schedule(static)
  for (std::size_t block = 0; block < blocks; ++block) {
    const float *from = in.data + block * 16 * kTogether;
    unsigned *to = bin.data + block * 16 * kTogether;
    __m512 x[kTogether];
    __m512i k[kTogether];
    for (std::size_t v = 0; v < kTogether; ++v) {
      x[v] = _mm512_loadu_ps(from + 16 * v);
      k[v] = one;
    }
    const auto down = [&](std::size_t v, __m512 edges) {
      const __mmask16 right = _mm512_cmp_ps_mask(edges, x[v], _CMP_LE_OQ);
      k[v] = _mm512_add_epi32(k[v], k[v]);
      k[v] = _mm512_mask_add_epi32(k[v], right, k[v], one);
    };
#pragma GCC unroll 5
    for (unsigned l = 0; l < 5; ++l)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTogether; ++v) down(v, _mm512_permutex2var_ps(low, k[v], high));
    for (unsigned l = 5; l < levels; ++l)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTogether; ++v) down(v, _mm512_i32gather_ps(k[v], node, 4));
    for (std::size_t v = 0; v < kTogether; ++v) {
      const __m512i result = _mm512_min_epu32(_mm512_sub_epi32(k[v], first), most);
      if (past)
        _mm512_stream_si512(reinterpret_cast<__m512i *>(to + 16 * v), result);
      else
        _mm512_storeu_si512(to + 16 * v, result);
    }
  }
#endif
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = done; i < n; ++i) {
    unsigned k = 1;
    for (unsigned l = 0; l < levels; ++l) k = 2 * k + (node[k] <= in.data[i]);
    bin.data[i] = std::min(k - static_cast<unsigned>(all), static_cast<unsigned>(edges));
  }
}

// ---- groupnorm: a thread has a group, which stays in the second cache from the first pass to the last

void groupnorm(unsigned groups, float epsilon, In<float, 4> in, In<float, 1> gain, In<float, 1> bias,
               Out<float, 4> out) {
  const std::size_t batch = in.size[0], plane = in.size[2] * in.size[3], channels = in.size[1] / groups;
  const std::size_t count = channels * plane;
  const bool past = plane % kWide == 0 && aligned(out.data);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t g = 0; g < groups; ++g) {
      const float *from = in.data + (n * groups + g) * count;
      float *to = out.data + (n * groups + g) * count;
      float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < count; ++i) sum += from[i];
      const float mean = sum / static_cast<float>(count);
#pragma omp simd reduction(+ : squares)
      for (std::size_t i = 0; i < count; ++i) squares += (from[i] - mean) * (from[i] - mean);
      const float scale = 1 / std::sqrt(squares / static_cast<float>(count) + epsilon);
      for (std::size_t c = 0; c < channels; ++c) {
        const float by = scale * gain.data[g * channels + c], plus = bias.data[g * channels + c] - mean * by;
        const float *own = from + c * plane;
        float *result = to + c * plane;
        if (past) {
          for (std::size_t i = 0; i < plane; i += kWide) stream(result + i, vector(own + i) * by + plus);
        } else {
#pragma omp simd
          for (std::size_t i = 0; i < plane; ++i) result[i] = own[i] * by + plus;
        }
      }
    }
}

// ---- adler32: sums of bytes, and of bytes times how far they are from a block's end; remainders once in 5504 bytes

constexpr std::size_t kBlockBytes = 64, kChunkBytes = 86 * kBlockBytes;

/// Both sums of some whole blocks go on.
inline void adlerBlocks(const Byte *from, std::size_t blocks, std::uint32_t &a, std::uint32_t &b) {
  std::uint32_t sum = 0, weighted = 0;
#ifdef __AVX512BW__
  alignas(64) static constexpr auto weights = [] {
    struct {
      signed char of[kBlockBytes];
    } w{};
    for (std::size_t j = 0; j < kBlockBytes; ++j) w.of[j] = static_cast<signed char>(kBlockBytes - j);
    return w;
  }();
  const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi16(1), weight = _mm512_load_si512(weights.of);
  __m512i sums = zero, before = zero, inside = zero; // `before`: of all blocks, what has been summed up in front of it
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m512i x = _mm512_loadu_si512(from + block * kBlockBytes);
    before = _mm512_add_epi32(before, sums);
    sums = _mm512_add_epi32(sums, _mm512_sad_epu8(x, zero));
    inside = _mm512_add_epi32(inside, _mm512_madd_epi16(_mm512_maddubs_epi16(x, weight), ones));
  }
  sum = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(sums));
  weighted = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(before)) * kBlockBytes +
             static_cast<std::uint32_t>(_mm512_reduce_add_epi32(inside));
#else
  const std::uint32_t bytes = static_cast<std::uint32_t>(blocks * kBlockBytes);
#pragma omp simd reduction(+ : sum, weighted)
  for (std::uint32_t j = 0; j < bytes; ++j) {
    sum += from[j];
    weighted += (bytes - j) * from[j];
  }
#endif
  b = (b + a * static_cast<std::uint32_t>(blocks * kBlockBytes) + weighted % 65521) % 65521;
  a = (a + sum) % 65521;
}

void adler32(In<Byte, 2> in, Out<unsigned, 1> sum) {
  const std::size_t rows = in.size[0], n = in.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    const Byte *from = in.data + i * n;
    std::uint32_t a = 1, b = 0;
    std::size_t at = 0;
    while (n - at >= kBlockBytes) {
      const std::size_t blocks = std::min(n - at, kChunkBytes) / kBlockBytes;
      adlerBlocks(from + at, blocks, a, b);
      at += blocks * kBlockBytes;
    }
    for (; at < n; ++at) {
      a += from[at];
      b += a;
    }
    sum.data[i] = b % 65521 << 16 | a % 65521;
  }
}

// ---- kldivergence: one pass, by blocks that stay in the first cache. With u the sum of exp(t) (t - p), the result is
// u / sum - log(sum) + log(sum of the pupil's).

void kldivergence(In<float, 2> teacher, In<float, 2> pupil, Out<float, 1> loss) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t rows = teacher.size[0], n = teacher.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    float most[2] = {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest()};
    float sum[2] = {}, along = 0;
    for (std::size_t first = 0; first < n; first += kBlock) {
      const std::size_t there = std::min(kBlock, n - first);
      const float *t = teacher.data + i * n + first, *p = pupil.data + i * n + first;
      float now0 = most[0], now1 = most[1];
#pragma omp simd reduction(max : now0, now1)
      for (std::size_t j = 0; j < there; ++j) {
        now0 = std::max(now0, t[j]);
        now1 = std::max(now1, p[j]);
      }
      const float fade = std::exp(most[0] - now0), fade1 = std::exp(most[1] - now1);
      most[0] = now0;
      most[1] = now1;
      float a = 0, b = 0, u = 0;
#pragma omp simd reduction(+ : a, b, u)
      for (std::size_t j = 0; j < there; ++j) {
        const float e = std::exp(t[j] - now0);
        a += e;
        u += e * (t[j] - p[j]);
        b += std::exp(p[j] - now1);
      }
      sum[0] = sum[0] * fade + a;
      sum[1] = sum[1] * fade1 + b;
      along = along * fade + u;
    }
    loss.data[i] = along / sum[0] - (most[0] + std::log(sum[0])) + (most[1] + std::log(sum[1]));
  }
}

// ---- demosaic: three rows with a mirrored border, in the first cache; even and odd points are chosen by masks. Three
// vectors of bytes become three others, in which red, green and blue are beside each other, by shuffles.

constexpr std::size_t kPixels = 64;

/// 64 points that begin at an even one. Rows are read from one before to one behind.
template <bool odd> void bayer(const Byte *up, const Byte *own, const Byte *down, Byte *r, Byte *g, Byte *b) {
  using Word = std::uint16_t;
#pragma omp simd
  for (std::size_t j = 0; j < kPixels; ++j) {
    const Word left = own[std::ptrdiff_t(j) - 1], right = own[j + 1], above = up[j], below = down[j], here = own[j];
    const Word corner = Word(up[std::ptrdiff_t(j) - 1] + up[j + 1] + down[std::ptrdiff_t(j) - 1] + down[j + 1] + 2);
    const Word beside = Word(left + right), column = Word(above + below);
    const Word across = Word(beside + 1) >> 1, along = Word(column + 1) >> 1;
    const Word cross = Word(beside + column + 2) >> 2, corners = Word(corner >> 2);
    const Word second = Word(0 - (Word(j) & 1)); // all ones at odd points
    const auto choose = [&](Word even, Word other) { return static_cast<Byte>((even & ~second) | (other & second)); };
    r[j] = odd ? choose(along, corners) : choose(here, across);
    g[j] = odd ? choose(here, cross) : choose(cross, here);
    b[j] = odd ? choose(across, here) : choose(corners, along);
  }
}

void demosaic(In<Byte, 2> in, Out<Byte, 3> rgb) {
  const std::size_t height = in.size[0], width = in.size[1];
  const std::size_t pitch = kPixels + (width + kPixels - 1) / kPixels * kPixels + kPixels;
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = height * own / threads, end = height * (own + 1) / threads;
    std::vector<Byte> rows(3 * pitch);
    const auto row = [&](std::size_t i) {
      return rows.data() + i % 3 * pitch + kPixels;
    }; // of row i - 1 of the picture
    const auto load = [&](std::size_t i) {
      const std::size_t of = i == 0 ? 1 : i <= height ? i - 1 : height - 2;
      Byte *to = row(i);
      std::memcpy(to, in.data + of * width, width);
      to[-1] = to[1];
      to[width] = to[width - 2];
    };
    if (begin < end) {
      load(begin);
      load(begin + 1);
    }
    for (std::size_t i = begin; i < end; ++i) {
      load(i + 2);
      const Byte *up = row(i), *middle = row(i + 1), *down = row(i + 2);
      for (std::size_t x = 0; x < width; x += kPixels) {
        alignas(64) Byte r[kPixels], g[kPixels], b[kPixels];
        if (i % 2 == 0)
          bayer<false>(up + x, middle + x, down + x, r, g, b);
        else
          bayer<true>(up + x, middle + x, down + x, r, g, b);
        Byte *to = rgb.data + (i * width + x) * 3;
        if (x + kPixels <= width) {
          for (std::size_t j = 0; j < kPixels; j += 16) interleave(r + j, g + j, b + j, to + 3 * j);
        } else {
          Byte rest[3 * kPixels];
          for (std::size_t j = 0; j < kPixels; j += 16) interleave(r + j, g + j, b + j, rest + 3 * j);
          std::memcpy(to, rest, 3 * (width - x));
        }
      }
    }
  }
}

// ---- erode: rows first, then columns of a tile that stays in a cache; the least of 2, 4, 8 numbers is that of two
// numbers of the step before, and the least of a window that of two such that overlap

inline void leastOfTwo(Byte *to, const Byte *a, const Byte *b, std::size_t n) {
#pragma omp simd
  for (std::size_t j = 0; j < n; ++j) to[j] = std::min(a[j], b[j]);
}

void erode(int radius, In<Byte, 2> in, Out<Byte, 2> out) {
  constexpr std::size_t kHigh = 64, kWideTile = 1024;
  const std::size_t height = in.size[0], width = in.size[1], r = radius, window = 2 * r + 1;
  std::size_t power = 1; // the greatest within the window
  while (2 * power <= window) power *= 2;
#pragma omp parallel
  {
    std::vector<Byte> tile((kHigh + 2 * r) * kWideTile), line(kWideTile + 2 * r);
#pragma omp for collapse(2) schedule(static)
    for (std::size_t top = 0; top < height; top += kHigh)
      for (std::size_t left = 0; left < width; left += kWideTile) {
        const std::size_t rows = std::min(kHigh, height - top), columns = std::min(kWideTile, width - left);
        const std::size_t before = std::min(left, r), behind = std::min(width, left + columns + r);
        for (std::size_t y = 0; y < rows + 2 * r; ++y) {
          Byte *to = tile.data() + y * kWideTile;
          if (top + y < r || top + y - r >= height) {
            std::memset(to, 255, columns);
            continue;
          }
          std::memset(line.data(), 255, r - before);
          std::memcpy(line.data() + r - before, in.data + (top + y - r) * width + left - before,
                      behind - (left - before));
          const std::size_t filled = r - before + behind - (left - before);
          std::memset(line.data() + filled, 255, columns + 2 * r - filled);
          for (std::size_t s = 1; s < power; s *= 2) // in place: what is read has not been written yet
            leastOfTwo(line.data(), line.data(), line.data() + s, columns + 2 * r - 2 * s + 1);
          leastOfTwo(to, line.data(), line.data() + window - power, columns);
        }
        for (std::size_t s = 1; s < power; s *= 2)
          for (std::size_t y = 0; y + 2 * s <= rows + 2 * r; ++y) {
            Byte *to = tile.data() + y * kWideTile;
            leastOfTwo(to, to, to + s * kWideTile, columns);
          }
        for (std::size_t y = 0; y < rows; ++y) {
          const Byte *from = tile.data() + y * kWideTile;
          leastOfTwo(out.data + (top + y) * width + left, from, from + (window - power) * kWideTile, columns);
        }
      }
  }
}

// ---- conjugate: two passes an iteration. What the matrix makes of the direction is computed twice, instead of being
// stored; the next direction goes to another array, and threads compute the rows next to theirs themselves.

void conjugate(unsigned iterations, float shift, In<float, 2> b, Out<float, 2> x) {
  const std::size_t rows = b.size[0], columns = b.size[1], all = rows * columns;
  const float center = 4 + shift;
  const std::unique_ptr<float[]> memory(new float[3 * all]);
  float *r = memory.get(), *p = r + all, *next = p + all;
  double squares = 0, along = 0, after = 0;
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = rows * own / threads, end = rows * (own + 1) / threads;
    const std::size_t from = std::max<std::size_t>(begin, 1), to = std::min(end, rows > 0 ? rows - 1 : 0);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t at = i * columns;
      const bool inside = i > 0 && i + 1 < rows && columns > 2;
      std::memset(x.data + at, 0, columns * sizeof(float));
      std::memset(r + at, 0, columns * sizeof(float));
      std::memset(p + at, 0, columns * sizeof(float));
      std::memset(next + at, 0, columns * sizeof(float));
      if (!inside) continue;
#pragma omp simd reduction(+ : sum)
      for (std::size_t j = 1; j < columns - 1; ++j) {
        const float value = b.data[at + j];
        r[at + j] = value;
        sum += static_cast<double>(value) * value;
      }
    }
#pragma omp atomic
    squares += sum;
    std::vector<float> halo(2 * columns);
    const float *old = p;
    float *now = next, beta = 0; // at first the direction is what is left
#pragma omp barrier
    double before = squares; // each thread has its own
    for (unsigned t = 0; t < iterations && columns > 2; ++t) {
      const auto turn = [&](std::size_t i, float *result) {
        const float *left = r + i * columns, *last = old + i * columns;
#pragma omp simd
        for (std::size_t j = 1; j < columns - 1; ++j) result[j] = left[j] + beta * last[j];
      };
      const auto row = [&](std::size_t i) -> const float * {
        return i < from ? halo.data() : i >= to ? halo.data() + columns : now + i * columns;
      };
      sum = 0;
      if (from < to) {
        if (from > 1) turn(from - 1, halo.data());
        if (to < rows - 1) turn(to, halo.data() + columns);
        turn(from, now + from * columns);
        for (std::size_t i = from; i < to; ++i) {
          if (i + 1 < to) turn(i + 1, now + (i + 1) * columns);
          const float *above = row(i - 1), *here = row(i), *below = row(i + 1);
#pragma omp simd reduction(+ : sum)
          for (std::size_t j = 1; j < columns - 1; ++j)
            sum += static_cast<double>(here[j]) * (center * here[j] - above[j] - below[j] - here[j - 1] - here[j + 1]);
        }
      }
#pragma omp atomic
      along += sum;
#pragma omp barrier
      const double whole = along;
      if (whole == 0) break; // all threads see that
      const float alpha = static_cast<float>(before / whole);
      sum = 0;
      for (std::size_t i = from; i < to; ++i) {
        const float *above = row(i - 1), *here = row(i), *below = row(i + 1);
        float *solution = x.data + i * columns, *left = r + i * columns;
#pragma omp simd reduction(+ : sum)
        for (std::size_t j = 1; j < columns - 1; ++j) {
          const float image = center * here[j] - above[j] - below[j] - here[j - 1] - here[j + 1];
          const float rest = left[j] - alpha * image;
          solution[j] += alpha * here[j];
          left[j] = rest;
          sum += static_cast<double>(rest) * rest;
        }
      }
#pragma omp atomic
      after += sum;
#pragma omp barrier
      const double left = after;
      beta = static_cast<float>(left / before);
      before = left;
      now = old == p ? p : next;
      old = old == p ? next : p;
#pragma omp barrier
#pragma omp single
      along = after = 0;
    }
  }
}

// ---- hamming: entries of a block are turned, so that a lane has an entry; of 6 queries and 64 entries in registers

constexpr std::size_t kEntries = 4 * kWide, kQueries = 6;

inline Counts bitsOf(Counts x) {
#ifdef __AVX512VPOPCNTDQ__
  return reinterpret_cast<Counts>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(x)));
#else
  using Words = unsigned __attribute__((vector_size(kWide * sizeof(int)), aligned(sizeof(int))));
  Words w = reinterpret_cast<Words>(x);
  w -= w >> 1 & 0x55555555;
  w = (w & 0x33333333) + (w >> 2 & 0x33333333);
  w = ((w + (w >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
  return reinterpret_cast<Counts>(w);
#endif
}

template <std::size_t queries>
void differences(const unsigned *query, const int *turned, std::size_t words, int (*to)[kEntries]) {
  Counts bits[queries][4] = {};
  for (std::size_t w = 0; w < words; ++w) {
    Counts e[4];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) e[v] = counts(turned + w * kEntries + v * kWide);
#pragma GCC unroll 6
    for (std::size_t q = 0; q < queries; ++q) {
      const int own = static_cast<int>(query[q * words + w]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) bits[q][v] += bitsOf(e[v] ^ own);
    }
  }
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t v = 0; v < 4; ++v) counts(to[q] + v * kWide) = bits[q][v];
}

void hamming(In<unsigned, 2> query, In<unsigned, 2> entry, Out<unsigned, 2> distance) {
  const std::size_t n = query.size[0], m = entry.size[0], words = query.size[1];
#pragma omp parallel
  {
    std::vector<int> turned(words * kEntries);
    int found[kQueries][kEntries];
#pragma omp for schedule(static)
    for (std::size_t first = 0; first < m; first += kEntries) {
      const std::size_t there = std::min(kEntries, m - first);
      for (std::size_t e = 0; e < there; ++e)
        for (std::size_t w = 0; w < words; ++w)
          turned[w * kEntries + e] = static_cast<int>(entry.data[(first + e) * words + w]);
      for (std::size_t i = 0; i < n; i += kQueries) {
        const unsigned *own = query.data + i * words;
        const std::size_t queries = std::min(kQueries, n - i);
        if (queries == kQueries)
          differences<kQueries>(own, turned.data(), words, found);
        else
          for (std::size_t q = 0; q < queries; ++q) differences<1>(own + q * words, turned.data(), words, found + q);
        for (std::size_t q = 0; q < queries; ++q)
          std::memcpy(distance.data + (i + q) * m + first, found[q], there * sizeof(int));
      }
    }
  }
}

// ---- trsm: columns are independent. A thread has 4 vectors of them, packed, in the second cache; of 6 rows all that
// is above is subtracted in registers, where they are solved, too.

constexpr std::size_t kColumns = 4 * kWide, kRows = 6;

template <std::size_t rows> void solveRows(const float *l, std::size_t pitch, std::size_t i, float *x) {
  Vector own[rows][4];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) own[r][v] = vector(x + (i + r) * kColumns + v * kWide);
  const float *line = l + i * pitch;
  for (std::size_t k = 0; k < i; ++k) {
    Vector above[4];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) above[v] = vector(x + k * kColumns + v * kWide);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) own[r][v] -= line[r * pitch + k] * above[v];
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 6
    for (std::size_t s = 0; s < r; ++s)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) own[r][v] -= line[r * pitch + i + s] * own[s][v];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) vector(x + (i + r) * kColumns + v * kWide) = own[r][v];
  }
}

void trsm(In<float, 2> l, Out<float, 2> b) {
  const std::size_t n = b.size[0], m = b.size[1];
#pragma omp parallel
  {
    std::vector<float> x(n * kColumns);
#pragma omp for schedule(dynamic)
    for (std::size_t first = 0; first < m; first += kColumns) {
      const std::size_t there = std::min(kColumns, m - first);
      for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(b.data + i * m + first, there, x.data() + i * kColumns);
        std::fill_n(x.data() + i * kColumns + there, kColumns - there, 0.0f);
      }
      std::size_t i = 0;
      for (; i + kRows <= n; i += kRows) solveRows<kRows>(l.data, n, i, x.data());
      for (; i < n; ++i) solveRows<1>(l.data, n, i, x.data());
      for (std::size_t k = 0; k < n; ++k) std::copy_n(x.data() + k * kColumns, there, b.data + k * m + first);
    }
  }
}

// ---- embeddinggrad: tokens are sorted by their rows, by counting, so that a row is written once, by one thread

void embeddinggrad(In<unsigned, 1> token, In<float, 2> dy, Out<float, 2> dtable) {
  const std::size_t tokens = token.size[0], width = dy.size[1], rows = dtable.size[0];
  std::vector<unsigned> begin(rows + 1), order(tokens);
  for (std::size_t t = 0; t < tokens; ++t) ++begin[token.data[t]];
  for (std::size_t v = 0, sum = 0; v <= rows; ++v) sum += std::exchange(begin[v], static_cast<unsigned>(sum));
  for (std::size_t t = 0; t < tokens; ++t) order[begin[token.data[t]]++] = static_cast<unsigned>(t);
  const bool past = width % kWide == 0 && aligned(dtable.data);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t v = 0; v < rows; ++v) {
    const unsigned first = v == 0 ? 0 : begin[v - 1], last = begin[v]; // each is where it ends now
    float *to = dtable.data + v * width;
    std::size_t d = 0;
    for (; past && d + 4 * kWide <= width; d += 4 * kWide) {
      Vector sum[4] = {};
      for (unsigned e = first; e < last; ++e) {
        const float *from = dy.data + order[e] * width + d;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < 4; ++k) sum[k] += vector(from + k * kWide);
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) stream(to + d + k * kWide, sum[k]);
    }
    if (d == width) continue;
    std::fill(to + d, to + width, 0.0f);
    for (unsigned e = first; e < last; ++e) {
      const float *from = dy.data + order[e] * width;
#pragma omp simd
      for (std::size_t c = d; c < width; ++c) to[c] += from[c];
    }
  }
}

// ---- hmm: six sequences a thread; a step is a product with the transitions, in registers, which are not divided by
// their sum before the next one. Logarithms are of vectors, at the end.

constexpr std::size_t kStates = 4 * kWide, kSequences = 6;

void hmm(In<float, 1> start, In<float, 2> transition, In<float, 2> emission, In<unsigned, 2> symbol,
         Out<float, 1> likelihood) {
  const std::size_t states = start.size[0], sequences = symbol.size[0], steps = symbol.size[1];
  const std::size_t symbols = emission.size[0], pitch = (states + kStates - 1) / kStates * kStates;
  // Rows of as many states as there are in some vectors; what is added is never reached.
  std::vector<float> starts(pitch), transitions(states * pitch), emissions(symbols * pitch);
  std::copy_n(start.data, states, starts.data());
  for (std::size_t i = 0; i < states; ++i)
    std::copy_n(transition.data + i * states, states, transitions.data() + i * pitch);
  for (std::size_t s = 0; s < symbols; ++s)
    std::copy_n(emission.data + s * states, states, emissions.data() + s * pitch);
#pragma omp parallel
  {
    std::vector<float> memory(2 * kSequences * pitch), sums(kSequences * steps);
#pragma omp for schedule(dynamic, 8)
    for (std::size_t first = 0; first < sequences; first += kSequences) {
      float *now = memory.data(), *next = now + kSequences * pitch;
      float scale[kSequences];
      std::fill_n(scale, kSequences, 1.0f);
      for (std::size_t t = 0; t < steps; ++t) {
        const float *emitted[kSequences];
        Vector sum[kSequences] = {};
        for (std::size_t q = 0; q < kSequences; ++q)
          emitted[q] = emissions.data() + symbol.data[std::min(first + q, sequences - 1) * steps + t] * pitch;
        for (std::size_t j = 0; j < pitch; j += kStates) {
          Vector reached[kSequences][4] = {};
          if (t == 0) {
            for (std::size_t q = 0; q < kSequences; ++q)
              for (std::size_t v = 0; v < 4; ++v) reached[q][v] = vector(starts.data() + j + v * kWide);
          } else {
            for (std::size_t i = 0; i < states; ++i) {
              Vector go[4];
#pragma GCC unroll 4
              for (std::size_t v = 0; v < 4; ++v) go[v] = vector(transitions.data() + i * pitch + j + v * kWide);
#pragma GCC unroll 6
              for (std::size_t q = 0; q < kSequences; ++q)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < 4; ++v) reached[q][v] += now[q * pitch + i] * go[v];
            }
          }
#pragma GCC unroll 6
          for (std::size_t q = 0; q < kSequences; ++q)
#pragma GCC unroll 4
            for (std::size_t v = 0; v < 4; ++v) {
              const Vector x = reached[q][v] * scale[q] * vector(emitted[q] + j + v * kWide);
              vector(next + q * pitch + j + v * kWide) = x;
              sum[q] += x;
            }
        }
        for (std::size_t q = 0; q < kSequences; ++q) {
          const float whole = sumOf(sum[q]);
          sums[q * steps + t] = whole;
          scale[q] = 1 / whole;
        }
        std::swap(now, next);
      }
      for (std::size_t q = 0; q < kSequences && first + q < sequences; ++q) {
        const float *own = sums.data() + q * steps;
        float result = 0;
#pragma omp simd reduction(+ : result)
        for (std::size_t t = 0; t < steps; ++t) result += std::log(own[t]);
        likelihood.data[first + q] = result;
      }
    }
  }
}

// ---- fft: Stockham's, which sorts on its way, by fours, real and imaginary parts apart, in the second cache. Vectors
// are along what is contiguous: strides of one and four numbers go through shuffles.

using Whole = float __attribute__((vector_size(kWide * sizeof(float)))); // as a template's argument

struct Parts {
  float *re, *im;
};

/// The stage's twiddles, of one, two and three times the angle, for each p, or for each of the numbers.
struct Stage {
  std::size_t n, stride; // n numbers are left of the transform
  std::vector<float> re[3], im[3];
};

/// Of numbers at x, with twiddles at w of `stage`, what goes to the four rows of y.
template <class T> struct Four {
  T re[4], im[4];
  Four(T ar, T ai, T br, T bi, T cr, T ci, T dr, T di) {
    const T pr = ar + cr, pi = ai + ci, mr = ar - cr, mi = ai - ci;
    const T qr = br + dr, qi = bi + di, jr = di - bi, ji = br - dr; // j (b - d)
    re[0] = pr + qr;
    im[0] = pi + qi;
    re[1] = mr - jr;
    im[1] = mi - ji;
    re[2] = pr - qr;
    im[2] = pi - qi;
    re[3] = mr + jr;
    im[3] = mi + ji;
  }
  template <class W> void turn(std::size_t k, W wr, W wi) {
    const T r = re[k] * wr - im[k] * wi, i = re[k] * wi + im[k] * wr;
    re[k] = r;
    im[k] = i;
  }
};

/// The first stage, of numbers as they are given.
void firstStage(const Stage &s, const float *in, Parts y) {
  const std::size_t quarter = s.n / 4;
#pragma omp simd
  for (std::size_t p = 0; p < quarter; ++p) {
    const float *a = in + 2 * p, *b = a + 2 * quarter, *c = b + 2 * quarter, *d = c + 2 * quarter;
    Four<float> f(a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]);
    for (std::size_t k = 1; k < 4; ++k) f.turn(k, s.re[k - 1][p], s.im[k - 1][p]);
    for (std::size_t k = 0; k < 4; ++k) {
      y.re[4 * p + k] = f.re[k];
      y.im[4 * p + k] = f.im[k];
    }
  }
}

#ifdef __AVX512F__
/// Four vectors of four fours each: those fours that stand in one place beside each other.
inline void turnFours(const Whole (&x)[4], float *to) {
  const auto of = [&](std::size_t v) { return static_cast<__m512>(x[v]); };
  const __m512 low0 = _mm512_shuffle_f32x4(of(0), of(1), 0x44), high0 = _mm512_shuffle_f32x4(of(0), of(1), 0xee);
  const __m512 low1 = _mm512_shuffle_f32x4(of(2), of(3), 0x44), high1 = _mm512_shuffle_f32x4(of(2), of(3), 0xee);
  _mm512_storeu_ps(to, _mm512_shuffle_f32x4(low0, low1, 0x88));
  _mm512_storeu_ps(to + 16, _mm512_shuffle_f32x4(low0, low1, 0xdd));
  _mm512_storeu_ps(to + 32, _mm512_shuffle_f32x4(high0, high1, 0x88));
  _mm512_storeu_ps(to + 48, _mm512_shuffle_f32x4(high0, high1, 0xdd));
}
#endif

void nextStage(const Stage &s, Parts x, Parts y) {
  const std::size_t quarter = s.n / 4, far = quarter * s.stride;
#ifdef __AVX512F__
  if (s.stride == 4 && quarter % 4 == 0) { // twiddles are there for each of the numbers
    for (std::size_t u = 0; u < far; u += 16) {
      const auto re = [&](std::size_t k) -> Whole { return vector(x.re + u + k * far); };
      const auto im = [&](std::size_t k) -> Whole { return vector(x.im + u + k * far); };
      Four<Whole> f(re(0), im(0), re(1), im(1), re(2), im(2), re(3), im(3));
      for (std::size_t k = 1; k < 4; ++k)
        f.turn<Whole>(k, vector(s.re[k - 1].data() + u), vector(s.im[k - 1].data() + u));
      turnFours(f.re, y.re + 4 * u);
      turnFours(f.im, y.im + 4 * u);
    }
    return;
  }
#endif
  const std::size_t each = s.stride == 4 ? 4 : 1; // twiddles of a p
  for (std::size_t p = 0; p < quarter; ++p) {
    const float *re = x.re + p * s.stride, *im = x.im + p * s.stride;
    float *toRe = y.re + 4 * p * s.stride, *toIm = y.im + 4 * p * s.stride;
    float wr[3], wi[3];
    for (std::size_t k = 0; k < 3; ++k) {
      wr[k] = s.re[k][p * each];
      wi[k] = s.im[k][p * each];
    }
#pragma omp simd
    for (std::size_t q = 0; q < s.stride; ++q) {
      Four<float> f(re[q], im[q], re[q + far], im[q + far], re[q + 2 * far], im[q + 2 * far], re[q + 3 * far],
                    im[q + 3 * far]);
      for (std::size_t k = 1; k < 4; ++k) f.turn(k, wr[k - 1], wi[k - 1]);
      for (std::size_t k = 0; k < 4; ++k) {
        toRe[q + k * s.stride] = f.re[k];
        toIm[q + k * s.stride] = f.im[k];
      }
    }
  }
}

void fft(In<float, 3> in, Out<float, 3> out) {
  const std::size_t rows = in.size[0], n = in.size[1];
  std::vector<Stage> stages;
  std::size_t left = n;
  for (std::size_t stride = 1; left >= 4; left /= 4, stride *= 4) {
    Stage s{left, stride, {}, {}};
    const std::size_t each = stride == 4 ? 4 : 1;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t p = 0; p < left / 4; ++p) {
        const double angle = -6.283185307179586 * static_cast<double>((k + 1) * p) / static_cast<double>(left);
        s.re[k].insert(s.re[k].end(), each, static_cast<float>(std::cos(angle)));
        s.im[k].insert(s.im[k].end(), each, static_cast<float>(std::sin(angle)));
      }
    stages.push_back(std::move(s));
  }
#pragma omp parallel
  {
    std::vector<float> memory(4 * n);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < rows; ++i) {
      const float *from = in.data + i * 2 * n;
      float *to = out.data + i * 2 * n;
      if (stages.empty()) { // one number, or two
        for (std::size_t c = 0; c < 2 && n > 0; ++c) {
          const float a = from[c], b = n == 2 ? from[2 + c] : 0;
          to[c] = a + b;
          if (n == 2) to[2 + c] = a - b;
        }
        continue;
      }
      Parts x{memory.data(), memory.data() + n}, y{memory.data() + 2 * n, memory.data() + 3 * n};
      firstStage(stages[0], from, x);
      for (std::size_t s = 1; s < stages.size(); ++s) {
        nextStage(stages[s], x, y);
        std::swap(x, y);
      }
      if (left == 2) {
        const std::size_t half = n / 2;
#pragma omp simd
        for (std::size_t j = 0; j < half; ++j) {
          to[2 * j] = x.re[j] + x.re[j + half];
          to[2 * j + 1] = x.im[j] + x.im[j + half];
          to[n + 2 * j] = x.re[j] - x.re[j + half];
          to[n + 2 * j + 1] = x.im[j] - x.im[j + half];
        }
      } else {
#pragma omp simd
        for (std::size_t j = 0; j < n; ++j) {
          to[2 * j] = x.re[j];
          to[2 * j + 1] = x.im[j];
        }
      }
    }
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;
const Peer<composite> compositePeer("composite", "openmp", {"over", "under", "out"});
const Peer<rope> ropePeer("rope", "openmp", {"q", "position", "cosine", "sine", "out"});
const Peer<searchsorted> searchsortedPeer("searchsorted", "openmp", {"edge", "in", "bin"});
const Peer<groupnorm> groupnormPeer("groupnorm", "openmp", {"groups", "epsilon", "in", "gain", "bias", "out"});
const Peer<adler32> adler32Peer("adler32", "openmp", {"in", "sum"});
const Peer<kldivergence> kldivergencePeer("kldivergence", "openmp", {"teacher", "pupil", "loss"});
const Peer<demosaic> demosaicPeer("demosaic", "openmp", {"in", "rgb"});
const Peer<erode> erodePeer("erode", "openmp", {"radius", "in", "out"});
const Peer<conjugate> conjugatePeer("conjugate", "openmp", {"iterations", "shift", "b", "x"});
const Peer<hamming> hammingPeer("hamming", "openmp", {"query", "entry", "distance"});
const Peer<trsm> trsmPeer("trsm", "openmp", {"l", "b"});
const Peer<embeddinggrad> embeddinggradPeer("embeddinggrad", "openmp", {"token", "dy", "dtable"});
const Peer<hmm> hmmPeer("hmm", "openmp", {"start", "transition", "emission", "symbol", "likelihood"});
const Peer<fft> fftPeer("fft", "openmp", {"in", "out"});

} // namespace

BENCH_PEERS(&compositePeer.kernel, &ropePeer.kernel, &searchsortedPeer.kernel, &groupnormPeer.kernel,
            &adler32Peer.kernel, &kldivergencePeer.kernel, &demosaicPeer.kernel, &erodePeer.kernel,
            &conjugatePeer.kernel, &hammingPeer.kernel, &trsmPeer.kernel, &embeddinggradPeer.kernel, &hmmPeer.kernel,
            &fftPeer.kernel)
