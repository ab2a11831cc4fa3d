// The programs of apps/held-out-5 as one would write them for a CPU: OpenMP, blocked for caches and registers. Compiled
// with -ffast-math, by which GCC has functions of vectors.
#include "peer_vectors.h"

#include "tangram/runtime/float16.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <omp.h>
#include <thread>
#include <vector>

namespace {

using namespace careful;
using bench::Half;
using Doubles = double __attribute__((vector_size(kWide * sizeof(float)), aligned(sizeof(double))));
constexpr std::size_t kDoubles = kWide / 2;

inline const Doubles &doubles(const double *from) { return *reinterpret_cast<const Doubles *>(from); }
inline Doubles &doubles(double *to) { return *reinterpret_cast<Doubles *>(to); }

inline float sumOf(Vector x) {
#ifdef __AVX512F__
  return _mm512_reduce_add_ps(x);
#else
  float sum = 0;
  for (std::size_t l = 0; l < kWide; ++l) sum += x[l];
  return sum;
#endif
}

// ---- yuv2rgb: what a point's color adds is computed once for two points; three vectors of bytes become three others,
// in which red, green and blue are beside each other, by shuffles.

constexpr std::size_t kPixels = 64;

inline Byte clipped(int x) { return static_cast<Byte>(std::clamp(x, 0, 255)); }

void yuv2rgb(In<Byte, 2> y, In<Byte, 2> u, In<Byte, 2> v, Out<Byte, 3> rgb) {
  const std::size_t height = y.size[0], width = y.size[1], half = u.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t pair = 0; pair < u.size[0]; ++pair) {
    const Byte *us = u.data + pair * half, *vs = v.data + pair * half;
    for (std::size_t x = 0; x < width; x += kPixels) {
      const std::size_t there = std::min(kPixels, width - x), colors = (there + 1) / 2;
      int red[kPixels], green[kPixels], blue[kPixels];
#pragma omp simd
      for (std::size_t j = 0; j < colors; ++j) {
        const int d = us[x / 2 + j] - 128, e = vs[x / 2 + j] - 128;
        red[2 * j] = red[2 * j + 1] = 409 * e + 128;
        green[2 * j] = green[2 * j + 1] = 128 - 100 * d - 208 * e;
        blue[2 * j] = blue[2 * j + 1] = 516 * d + 128;
      }
      for (std::size_t i = 2 * pair; i < std::min(2 * pair + 2, height); ++i) {
        const Byte *from = y.data + i * width + x;
        Byte *to = rgb.data + (i * width + x) * 3, r[kPixels], g[kPixels], b[kPixels];
        const auto convert = [&](std::size_t j) {
          const int c = 298 * (from[j] - 16);
          r[j] = clipped((c + red[j]) >> 8);
          g[j] = clipped((c + green[j]) >> 8);
          b[j] = clipped((c + blue[j]) >> 8);
        };
        if (there == kPixels) {
#pragma omp simd
          for (std::size_t j = 0; j < kPixels; ++j) convert(j);
          for (std::size_t j = 0; j < kPixels; j += 16) interleave(r + j, g + j, b + j, to + 3 * j);
        } else {
          for (std::size_t j = 0; j < there; ++j) {
            convert(j);
            to[3 * j] = r[j];
            to[3 * j + 1] = g[j];
            to[3 * j + 2] = b[j];
          }
        }
      }
    }
  }
}

// ---- pixelshuffle: a row of results is some rows that are read, put together like the teeth of combs

template <std::size_t factor> void comb(const float *from, std::size_t plane, float *to, std::size_t width) {
#pragma omp simd
  for (std::size_t x = 0; x < width; ++x)
#pragma GCC unroll 4
    for (std::size_t f = 0; f < factor; ++f) to[x * factor + f] = from[f * plane + x];
}

void pixelshuffle(unsigned factor, In<float, 4> in, Out<float, 4> out) {
  const std::size_t height = in.size[2], width = in.size[3], plane = height * width;
  const std::size_t pictures = out.size[0] * out.size[1];
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t p = 0; p < pictures; ++p)
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t r = 0; r < factor; ++r) {
        const float *from = in.data + (p * factor + r) * factor * plane + i * width;
        float *to = out.data + ((p * height + i) * factor + r) * width * factor;
        switch (factor) {
        case 2: comb<2>(from, plane, to, width); break;
        case 3: comb<3>(from, plane, to, width); break;
        case 4: comb<4>(from, plane, to, width); break;
        default:
          for (std::size_t f = 0; f < factor; ++f)
            for (std::size_t x = 0; x < width; ++x) to[x * factor + f] = from[f * plane + x];
        }
      }
}

// ---- dequant4: 32 weights have but 16 values, of which there is a table in a register

constexpr std::size_t kGroup = 32;

#ifdef __AVX512BW__
inline void dequantised(const Byte *packed, float scale, int zero, Half *to) {
  const __m512 whole = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512 values =
      _mm512_mul_ps(_mm512_sub_ps(whole, _mm512_set1_ps(static_cast<float>(zero))), _mm512_set1_ps(scale));
  const __m512i table = _mm512_castsi256_si512(_mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
  const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(packed)));
  const __m512i low = _mm512_and_si512(bytes, _mm512_set1_epi32(15)),
                high = _mm512_slli_epi32(_mm512_srli_epi32(bytes, 4), 16);
  _mm512_storeu_si512(to, _mm512_permutexvar_epi16(_mm512_or_si512(low, high), table));
}
#else
inline void dequantised(const Byte *packed, float scale, int zero, Half *to) {
  std::uint16_t table[16];
  for (int q = 0; q < 16; ++q) table[q] = tangram_f32_to_f16(static_cast<float>(q - zero) * scale);
  for (std::size_t j = 0; j < kGroup / 2; ++j) {
    to[2 * j].bits = table[packed[j] & 15];
    to[2 * j + 1].bits = table[packed[j] >> 4];
  }
}
#endif

void dequant4(In<Byte, 2> packed, In<Half, 2> scale, In<Byte, 2> zero, Out<Half, 2> out) {
  const std::size_t rows = out.size[0], n = out.size[1], bytes = packed.size[1], groups = scale.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    const Byte *from = packed.data + i * bytes;
    Half *to = out.data + i * n;
    for (std::size_t g = 0; g < groups; ++g) {
      const float by = tangram_f16_to_f32(scale.data[i * groups + g].bits);
      const int minus = zero.data[i * groups + g];
      const std::size_t first = g * kGroup, there = std::min(kGroup, n - first);
      if (there == kGroup) {
        dequantised(from + first / 2, by, minus, to + first);
      } else {
        Byte rest[kGroup / 2] = {};
        Half values[kGroup];
        std::copy_n(from + first / 2, (there + 1) / 2, rest);
        dequantised(rest, by, minus, values);
        std::copy_n(values, there, to + first);
      }
    }
  }
}

// ---- haar: a row's means go between two arrays, which stay in the first cache

void haar(In<float, 2> in, Out<float, 2> out) {
  const std::size_t rows = in.size[0], n = in.size[1];
  const float half = 0.70710678f;
#pragma omp parallel
  {
    std::vector<float> one(n / 2 + 1), other(n / 4 + 1);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < rows; ++i) {
      const float *from = in.data + i * n;
      float *to = out.data + i * n, *next = one.data(), *last = other.data();
      std::size_t length = n;
      while (length > 1 && length % 2 == 0) {
        length /= 2;
        float *details = to + length;
#pragma omp simd
        for (std::size_t j = 0; j < length; ++j) {
          const float a = from[2 * j], b = from[2 * j + 1];
          next[j] = (a + b) * half;
          details[j] = (a - b) * half;
        }
        from = next;
        std::swap(next, last);
      }
      std::copy_n(from, length, to);
    }
  }
}

// ---- layernormgrad: threads have rows, and sums of their columns, which stay in the second cache

void layernormgrad(In<float, 2> x, In<float, 1> gain, In<float, 1> mean, In<float, 1> inverse, In<float, 2> dy,
                   Out<float, 2> dx, Out<float, 1> dgain, Out<float, 1> dbias) {
  const std::size_t rows = x.size[0], n = x.size[1];
  const float by = 1 / static_cast<float>(n);
  std::vector<float> gains, biases; // of each thread
  std::size_t threads = 1;
#pragma omp parallel
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      gains.assign(threads * n, 0);
      biases.assign(threads * n, 0);
    }
    float *ownGain = gains.data() + omp_get_thread_num() * n, *ownBias = biases.data() + omp_get_thread_num() * n;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < rows; ++i) {
      const float *in = x.data + i * n, *d = dy.data + i * n;
      float *to = dx.data + i * n;
      const float m = mean.data[i], scale = inverse.data[i];
      float sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
      for (std::size_t j = 0; j < n; ++j) {
        const float normal = (in[j] - m) * scale, share = d[j] * normal;
        sum += d[j] * gain.data[j];
        along += share * gain.data[j];
        ownGain[j] += share;
        ownBias[j] += d[j];
      }
      sum *= by;
      along *= by;
#pragma omp simd
      for (std::size_t j = 0; j < n; ++j) to[j] = scale * (d[j] * gain.data[j] - sum - (in[j] - m) * scale * along);
    }
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < n; ++j) {
      float g = 0, b = 0;
      for (std::size_t t = 0; t < threads; ++t) {
        g += gains[t * n + j];
        b += biases[t * n + j];
      }
      dgain.data[j] = g;
      dbias.data[j] = b;
    }
  }
}

// ---- colpeak: threads have rows, eight of which are looked at together for each vector of columns, as they stand

void colpeak(In<float, 2> in, Out<float, 1> peak, Out<unsigned, 1> row) {
  constexpr std::size_t kDeep = 8;
  const std::size_t rows = in.size[0], columns = in.size[1];
  std::vector<float> most; // of each thread
  std::vector<int> where;
  std::size_t threads = 1;
#pragma omp parallel
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      most.assign(threads * columns, -1);
      where.assign(threads * columns, 0);
    }
    const std::size_t own = omp_get_thread_num();
    const std::size_t begin = rows * own / threads, end = rows * (own + 1) / threads;
    float *m = most.data() + own * columns;
    int *w = where.data() + own * columns;
    for (std::size_t first = begin; first < end; first += kDeep) {
      const float *from = in.data + first * columns;
      if (first + kDeep <= end) {
#pragma omp simd
        for (std::size_t j = 0; j < columns; ++j) {
          float best = m[j];
          int at = w[j];
#pragma GCC unroll 8
          for (std::size_t r = 0; r < kDeep; ++r) {
            const float x = std::abs(from[r * columns + j]);
            at = x > best ? static_cast<int>(first + r) : at;
            best = std::max(best, x);
          }
          m[j] = best;
          w[j] = at;
        }
      } else {
        for (std::size_t i = first; i < end; ++i)
#pragma omp simd
          for (std::size_t j = 0; j < columns; ++j) {
            const float x = std::abs(in.data[i * columns + j]);
            w[j] = x > m[j] ? static_cast<int>(i) : w[j];
            m[j] = std::max(m[j], x);
          }
      }
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < columns; ++j) {
      float best = most[j];
      int at = where[j];
      for (std::size_t t = 1; t < threads; ++t) // rows of later threads are further down
        if (most[t * columns + j] > best) {
          best = most[t * columns + j];
          at = where[t * columns + j];
        }
      peak.data[j] = best;
      row.data[j] = static_cast<unsigned>(at);
    }
  }
}

// ---- moments: one pass, of differences from the mean of the first numbers, which is near that of all

void moments(In<float, 1> in, Out<double, 1> out) {
  constexpr std::size_t kFirst = 4096;
  const std::size_t n = in.size[0], some = std::min(kFirst, n);
  double shift = 0;
  for (std::size_t i = 0; i < some; ++i) shift += in.data[i];
  shift /= static_cast<double>(some);
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma omp parallel reduction(+ : s1, s2, s3, s4)
  {
    constexpr std::size_t kTwo = 2 * kDoubles;
    Doubles a[2] = {}, b[2] = {}, c[2] = {}, d[2] = {};
    const std::size_t blocks = n / kTwo;
#pragma omp for schedule(static) nowait
    for (std::size_t block = 0; block < blocks; ++block)
#pragma GCC unroll 2
      for (std::size_t h = 0; h < 2; ++h) {
        using Floats = float __attribute__((vector_size(kDoubles * sizeof(float)), aligned(sizeof(float))));
        const Floats own = *reinterpret_cast<const Floats *>(in.data + block * kTwo + h * kDoubles);
        const Doubles x = __builtin_convertvector(own, Doubles) - shift, square = x * x;
        a[h] += x;
        b[h] += square;
        c[h] += square * x;
        d[h] += square * square;
      }
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t l = 0; l < kDoubles; ++l) {
        s1 += a[h][l];
        s2 += b[h][l];
        s3 += c[h][l];
        s4 += d[h][l];
      }
#pragma omp single nowait
    for (std::size_t i = blocks * kTwo; i < n; ++i) {
      const double x = in.data[i] - shift, square = x * x;
      s1 += x;
      s2 += square;
      s3 += square * x;
      s4 += square * square;
    }
  }
  const double by = 1 / static_cast<double>(n), d = s1 * by; // how far the mean is from the shift
  s2 *= by;
  s3 *= by;
  s4 *= by;
  const double m2 = s2 - d * d, m3 = s3 - 3 * d * s2 + 2 * d * d * d;
  const double m4 = s4 - 4 * d * s3 + 6 * d * d * s2 - 3 * d * d * d * d;
  out.data[0] = shift + d;
  out.data[1] = m2;
  out.data[2] = m3 / (m2 * std::sqrt(m2));
  out.data[3] = m4 / (m2 * m2);
}

// ---- wave2d: one pass a step. Threads have rows of their own: a row's heights change as soon as the row below it has
// used them; those at both ends wait for the neighbours.

struct Wave {
  float speed;
  const float *dampRow, *dampColumn;
  float *height, *velocity;
  std::size_t columns;
};

inline void bendRow(const Wave &w, std::size_t i, std::size_t left, std::size_t right) {
  const float *here = w.height + i * w.columns, *above = here - w.columns, *below = here + w.columns;
  float *v = w.velocity + i * w.columns;
  const float damp = w.dampRow[i], speed = w.speed;
#pragma omp simd
  for (std::size_t j = left; j < right; ++j) {
    const float bend = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j];
    v[j] = (v[j] + speed * bend) * (damp * w.dampColumn[j]);
  }
}

inline void moveRow(const Wave &w, std::size_t i, std::size_t left, std::size_t right) {
  float *here = w.height + i * w.columns;
  const float *v = w.velocity + i * w.columns;
#pragma omp simd
  for (std::size_t j = left; j < right; ++j) here[j] += v[j];
}

void wave2d(unsigned steps, float speed, In<float, 1> dampRow, In<float, 1> dampColumn, Out<float, 2> height,
            Out<float, 2> velocity) {
  const std::size_t rows = height.size[0], columns = height.size[1];
  if (rows < 3 || columns < 3) return;
  const Wave w{speed, dampRow.data, dampColumn.data, height.data, velocity.data, columns};
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = 1 + (rows - 2) * own / threads, end = 1 + (rows - 2) * (own + 1) / threads;
    const std::size_t last = columns - 1;
    for (unsigned t = 0; t < steps; ++t) {
      // Rows at both ends are moved behind the barrier: neighbours use their heights.
      for (std::size_t i = begin; i < end; ++i) {
        bendRow(w, i, 1, last);
        if (i >= begin + 2) moveRow(w, i - 1, 1, last);
      }
#pragma omp barrier
      if (begin < end) moveRow(w, begin, 1, last);
      if (begin + 1 < end) moveRow(w, end - 1, 1, last);
#pragma omp barrier
    }
  }
}

// ---- binomial: an option a lane of a vector. What exercising is worth depends on the difference of rises and falls
// alone: a table of 513. Eight steps are done in one pass, with their last values in registers.

void binomial(double rate, double volatility, In<double, 1> price, In<double, 1> strike, In<double, 1> years,
              Out<double, 1> put) {
  constexpr int kTreeSteps = 256, kDeep = 8, kPad = 2 * kDeep;
  static_assert(kTreeSteps % kDeep == 0);
  const std::size_t options = price.size[0], blocks = (options + kDoubles - 1) / kDoubles;
#pragma omp parallel
  {
    // Of a difference d, at d + kTreeSteps + kPad.
    std::vector<double> intrinsics((2 * kTreeSteps + 1 + kPad) * kDoubles), values((kTreeSteps + 1) * kDoubles);
    double *intrinsic = intrinsics.data(), *value = values.data();
#pragma omp for schedule(static)
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t first = block * kDoubles, there = std::min(kDoubles, options - first);
      Doubles up, a, b, spot, limit;
      for (std::size_t l = 0; l < kDoubles; ++l) {
        const std::size_t o = first + std::min(l, there - 1);
        const double dt = years.data[o] / kTreeSteps, rise = std::exp(volatility * std::sqrt(dt));
        const double discount = std::exp(-rate * dt), p = (1 / discount - 1 / rise) / (rise - 1 / rise);
        up[l] = rise;
        a[l] = discount * p;
        b[l] = discount * (1 - p);
        spot[l] = price.data[o] * std::exp(-volatility * std::sqrt(dt) * kTreeSteps);
        limit[l] = strike.data[o];
      }
      const auto worth = [=](int d) -> Doubles & { return doubles(intrinsic + (d + kTreeSteps + kPad) * kDoubles); };
      for (int d = -kTreeSteps; d <= kTreeSteps; ++d) {
        worth(d) = limit - spot;
        spot *= up;
      }
      for (int j = 0; j <= kTreeSteps; ++j) {
        const Doubles x = worth(2 * j - kTreeSteps), zero = {};
        doubles(value + j * kDoubles) = x > zero ? x : zero;
      }
      for (int i = kTreeSteps; i > 0; i -= kDeep) { // the values are those behind step i, of i + 1 nodes
        Doubles before[kDeep] = {};
        for (int j = 0; j <= i; ++j) {
          Doubles x = doubles(value + j * kDoubles);
          // Of step i - d - 1, node j - d - 1; what is before the first node is never used.
          const double *alone = &worth(2 * (j - 1) - (i - 1))[0];
#pragma GCC unroll 8
          for (int d = 0; d < kDeep; ++d) {
            const Doubles on = a * x + b * before[d], now = doubles(alone - static_cast<std::ptrdiff_t>(d * kDoubles));
            before[d] = x;
            x = on > now ? on : now;
          }
          if (j >= kDeep) doubles(value + (j - kDeep) * kDoubles) = x;
        }
      }
      for (std::size_t l = 0; l < there; ++l) put.data[first + l] = value[l];
    }
  }
}

// ---- knapsack: threads have capacities, and wait but for those that have lower ones, to be done with the item before.
// The last rows are kept in a ring of their own, so that the table is written past the caches.

/// `to[0..kWide)`, which begins where vectors do.
inline void stream(int *to, Counts x) {
#ifdef __AVX512F__
  _mm512_stream_si512(reinterpret_cast<__m512i *>(to), reinterpret_cast<__m512i>(x));
#else
  counts(to) = x;
#endif
}

void knapsack(In<unsigned, 1> weight, In<int, 1> worth, Out<int, 2> best) {
  struct alignas(64) Progress {
    std::atomic<std::size_t> rows{0};
  };
  constexpr std::size_t kRing = 4;
  const std::size_t items = weight.size[0], capacities = best.size[1], pitch = (capacities + kWide) / kWide * kWide;
  std::vector<Progress> done(omp_get_max_threads()); // rows of the table, of each thread
  const std::unique_ptr<int[]> ring(new int[kRing * pitch]);
  const bool aligned =
      capacities % kWide == 0 && reinterpret_cast<std::uintptr_t>(best.data) % (kWide * sizeof(int)) == 0;
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const auto bound = [=](std::size_t t) {
      return t < threads ? capacities * t / threads / kWide * kWide : capacities;
    };
    const std::size_t begin = bound(own), end = bound(own + 1);
    const auto wait = [&](std::size_t t, std::size_t rows) {
      while (done[t].rows.load(std::memory_order_acquire) < rows) std::this_thread::yield();
    };
    std::fill(best.data + begin, best.data + end, 0);
    std::fill(ring.get() + begin, ring.get() + end, 0);
    done[own].rows.store(1, std::memory_order_release);
    for (std::size_t i = 0; i < items; ++i) {
      for (std::size_t t = 0; t < own; ++t) wait(t, i + 1);
      // What this overwrites has been read by threads of higher capacities.
      for (std::size_t t = own + 1; t < threads && i + 2 > kRing; ++t) wait(t, i + 2 - kRing + 1);
      const int *last = ring.get() + i % kRing * pitch;
      int *next = ring.get() + (i + 1) % kRing * pitch, *to = best.data + (i + 1) * capacities;
      const std::size_t heavy = weight.data[i], from = std::min(std::max(begin, heavy), end);
      const int more = worth.data[i], *lighter = last - heavy;
      std::size_t c = begin;
      const auto one = [&] { return c < from ? last[c] : std::max(last[c], lighter[c] + more); };
      const std::size_t whole = std::min((from + kWide - 1) / kWide * kWide, end);
      for (; c < whole; ++c) to[c] = next[c] = one();
      if (aligned) {
        for (; c + kWide <= end; c += kWide) {
          const Counts without = counts(last + c), with = counts(lighter + c) + more;
          const Counts most = with > without ? with : without;
          counts(next + c) = most;
          stream(to + c, most);
        }
      }
      for (; c < end; ++c) to[c] = next[c] = one();
      done[own].rows.store(i + 2, std::memory_order_release);
    }
  }
}

// ---- gqadecode: heads that share keys and values are done together: of each key, and then of each value, there are up
// to eight products while it is in registers. Parts of a sequence are tasks, whose sums are put together.

constexpr std::size_t kHeads = 8, kTokens = 64;

/// Of some tokens of a sequence, by one head of keys and values; what they add is behind `most` and `sum` in `part`.
template <std::size_t heads>
void attend(const float *q, const float *k, const float *v, std::size_t tokens, std::size_t pitch, std::size_t width,
            float scale, float *most, float *sum, float *mix) {
  float score[heads][kTokens];
  for (std::size_t first = 0; first < tokens; first += kTokens) {
    const std::size_t there = std::min(kTokens, tokens - first);
    for (std::size_t t = 0; t < there; ++t) {
      const float *key = k + (first + t) * pitch;
      Vector dots[heads] = {};
      float rest[heads] = {};
      std::size_t d = 0;
      for (; d + kWide <= width; d += kWide) {
        const Vector own = vector(key + d);
#pragma GCC unroll 8
        for (std::size_t h = 0; h < heads; ++h) dots[h] += own * vector(q + h * width + d);
      }
      for (; d < width; ++d)
        for (std::size_t h = 0; h < heads; ++h) rest[h] += key[d] * q[h * width + d];
#pragma GCC unroll 8
      for (std::size_t h = 0; h < heads; ++h) score[h][t] = (sumOf(dots[h]) + rest[h]) * scale;
    }
    for (std::size_t h = 0; h < heads; ++h) {
      float now = most[h], added = 0;
#pragma omp simd reduction(max : now)
      for (std::size_t t = 0; t < there; ++t) now = std::max(now, score[h][t]);
      const float fade = std::exp(most[h] - now);
#pragma omp simd reduction(+ : added)
      for (std::size_t t = 0; t < there; ++t) {
        score[h][t] = std::exp(score[h][t] - now);
        added += score[h][t];
      }
      sum[h] = sum[h] * fade + added;
      most[h] = now;
#pragma omp simd
      for (std::size_t d = 0; d < width; ++d) mix[h * width + d] *= fade;
    }
    std::size_t d = 0;
    for (; d + 2 * kWide <= width; d += 2 * kWide) {
      Vector mixed[heads][2];
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t e = 0; e < 2; ++e) mixed[h][e] = vector(mix + h * width + d + e * kWide);
      for (std::size_t t = 0; t < there; ++t) {
        const float *value = v + (first + t) * pitch + d;
        const Vector one = vector(value), other = vector(value + kWide);
#pragma GCC unroll 8
        for (std::size_t h = 0; h < heads; ++h) {
          mixed[h][0] += score[h][t] * one;
          mixed[h][1] += score[h][t] * other;
        }
      }
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t e = 0; e < 2; ++e) vector(mix + h * width + d + e * kWide) = mixed[h][e];
    }
    for (; d < width; ++d)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t t = 0; t < there; ++t) mix[h * width + d] += score[h][t] * v[(first + t) * pitch + d];
  }
}

void gqadecode(In<float, 3> q, In<float, 4> k, In<float, 4> v, In<unsigned, 1> length, Out<float, 3> out) {
  constexpr std::size_t kPart = 512; // tokens
  const std::size_t batch = q.size[0], heads = q.size[1], width = q.size[2], cached = k.size[1], groups = k.size[2];
  const std::size_t shared = heads / groups, parts = (cached + kPart - 1) / kPart, pitch = groups * width;
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  const std::size_t each = 2 + width; // of a head and a part: the greatest score, the sum, and the mixture
  std::vector<float> found(batch * parts * heads * each);
#pragma omp parallel
  {
    std::vector<float> mix(kHeads * width);
#pragma omp for collapse(3) schedule(dynamic)
    for (std::size_t n = 0; n < batch; ++n)
      for (std::size_t p = 0; p < parts; ++p)
        for (std::size_t g = 0; g < groups; ++g) {
          const std::size_t all = std::min<std::size_t>(length.data[n], cached), begin = p * kPart;
          const std::size_t tokens = all > begin ? std::min(kPart, all - begin) : 0;
          const std::size_t at = ((n * cached + begin) * groups + g) * width;
          for (std::size_t h = 0; h < shared;) {
            const std::size_t head = g * shared + h, together = shared - h >= 8   ? 8
                                                                : shared - h >= 4 ? 4
                                                                : shared - h >= 2 ? 2
                                                                                  : 1;
            float most[kHeads], sum[kHeads] = {};
            std::fill_n(most, kHeads, std::numeric_limits<float>::lowest());
            std::fill(mix.begin(), mix.end(), 0.0f);
            const float *own = q.data + (n * heads + head) * width;
            const auto with = [&](auto number) {
              attend<decltype(number)::value>(own, k.data + at, v.data + at, tokens, pitch, width, scale, most, sum,
                                              mix.data());
            };
            switch (together) {
            case 8: with(std::integral_constant<std::size_t, 8>()); break;
            case 4: with(std::integral_constant<std::size_t, 4>()); break;
            case 2: with(std::integral_constant<std::size_t, 2>()); break;
            default: with(std::integral_constant<std::size_t, 1>());
            }
            for (std::size_t l = 0; l < together; ++l) {
              float *to = found.data() + ((n * heads + head + l) * parts + p) * each;
              to[0] = most[l];
              to[1] = sum[l];
              std::copy_n(mix.data() + l * width, width, to + 2);
            }
            h += together;
          }
        }
#pragma omp for schedule(static)
    for (std::size_t row = 0; row < batch * heads; ++row) {
      const float *from = found.data() + row * parts * each;
      float *to = out.data + row * width, most = std::numeric_limits<float>::lowest(), sum = 0;
      for (std::size_t p = 0; p < parts; ++p) most = std::max(most, from[p * each]);
      std::fill_n(to, width, 0.0f);
      for (std::size_t p = 0; p < parts; ++p) {
        const float weight = std::exp(from[p * each] - most), *part = from + p * each + 2;
        sum += weight * from[p * each + 1];
#pragma omp simd
        for (std::size_t d = 0; d < width; ++d) to[d] += weight * part[d];
      }
      const float by = sum > 0 ? 1 / sum : 0;
      for (std::size_t d = 0; d < width; ++d) to[d] *= by;
    }
  }
}

// ---- contraction: a product of matrices for each a: i and (b, j), summed over (k, l). Both are packed into panels, of
// y 32 columns j of one b, of x twelve i of one a, which fit the second and the first cache; sums are in registers.

constexpr std::size_t kDown = 12, kAcross = 2 * kWide;

inline void panels(const float *x, const float *y, std::size_t inner, float *c, std::size_t pitch, std::size_t down,
                   std::size_t across) {
  Vector sum[kDown][2] = {};
  for (std::size_t k = 0; k < inner; ++k, x += kDown, y += kAcross) {
    const Vector left = vector(y), right = vector(y + kWide);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kDown; ++r) {
      sum[r][0] += x[r] * left;
      sum[r][1] += x[r] * right;
    }
  }
  for (std::size_t r = 0; r < down; ++r) {
    if (across == kAcross) {
      vector(c + r * pitch) = sum[r][0];
      vector(c + r * pitch + kWide) = sum[r][1];
    } else {
      float row[kAcross];
      vector(row) = sum[r][0];
      vector(row + kWide) = sum[r][1];
      std::copy_n(row, across, c + r * pitch);
    }
  }
}

void contraction(In<float, 4> x, In<float, 4> y, Out<float, 4> c) {
  const std::size_t as = c.size[0], bs = c.size[1], is = c.size[2], js = c.size[3], ks = x.size[1], ls = x.size[2];
  const std::size_t inner = ks * ls, ofI = (is + kDown - 1) / kDown, ofJ = (js + kAcross - 1) / kAcross;
  const std::unique_ptr<float[]> packedX(new float[as * ofI * inner * kDown]),
      packedY(new float[bs * ofJ * inner * kAcross]);
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::size_t p = 0; p < as * ofI; ++p) {
      const std::size_t a = p / ofI, first = p % ofI * kDown, there = std::min(kDown, is - first);
      float *to = packedX.get() + p * inner * kDown;
      for (std::size_t k = 0; k < inner; ++k, to += kDown) {
        const float *from = x.data + (a * inner + k) * is + first;
        for (std::size_t r = 0; r < kDown; ++r) to[r] = r < there ? from[r] : 0;
      }
    }
#pragma omp for collapse(2) schedule(static)
    for (std::size_t p = 0; p < bs * ofJ; ++p)
      for (std::size_t k = 0; k < ks; ++k) {
        const std::size_t b = p / ofJ, first = p % ofJ * kAcross, there = std::min(kAcross, js - first);
        float *to = packedY.get() + (p * inner + k * ls) * kAcross;
        const float *from = y.data + ((k * bs + b) * js + first) * ls;
        for (std::size_t j = 0; j < kAcross; ++j)
          for (std::size_t l = 0; l < ls; ++l) to[l * kAcross + j] = j < there ? from[j * ls + l] : 0;
      }
#pragma omp for schedule(dynamic)
    for (std::size_t p = 0; p < bs * ofJ; ++p) {
      const std::size_t b = p / ofJ, left = p % ofJ * kAcross;
      const float *own = packedY.get() + p * inner * kAcross;
      for (std::size_t o = 0; o < as * ofI; ++o) {
        const std::size_t a = o / ofI, top = o % ofI * kDown;
        panels(packedX.get() + o * inner * kDown, own, inner, c.data + ((a * bs + b) * is + top) * js + left, js,
               std::min(kDown, is - top), std::min(kAcross, js - left));
      }
    }
  }
}

// ---- sddmm: a row of a in registers, and four elements of it at a time, whose sums are added up together; rows of b
// are asked for ahead.

void sddmm(In<unsigned, 1> row, In<unsigned, 1> column, In<float, 1> value, In<float, 2> a, In<float, 2> b,
           Out<float, 1> out) {
  constexpr std::size_t kTogether = 4, kAhead = 16;
  const std::size_t rows = a.size[0], width = a.size[1], elements = column.size[0];
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < rows; ++i) {
    const float *own = a.data + i * width;
    std::size_t e = row.data[i];
    const std::size_t end = row.data[i + 1];
    const auto ahead = [&](std::size_t at) {
      const float *from = b.data + std::size_t{column.data[std::min(at + kAhead, elements - 1)]} * width;
      for (std::size_t f = 0; f < width; f += 16) __builtin_prefetch(from + f);
    };
    for (; e + kTogether <= end; e += kTogether) {
      const float *other[kTogether];
      Vector dots[kTogether] = {};
      float sums[kTogether] = {};
#pragma GCC unroll 4
      for (std::size_t q = 0; q < kTogether; ++q) {
        other[q] = b.data + std::size_t{column.data[e + q]} * width;
        ahead(e + q);
      }
      std::size_t f = 0;
      for (; f + kWide <= width; f += kWide) {
        const Vector x = vector(own + f);
#pragma GCC unroll 4
        for (std::size_t q = 0; q < kTogether; ++q) dots[q] += x * vector(other[q] + f);
      }
      for (; f < width; ++f)
        for (std::size_t q = 0; q < kTogether; ++q) sums[q] += own[f] * other[q][f];
#pragma GCC unroll 4
      for (std::size_t q = 0; q < kTogether; ++q) out.data[e + q] = value.data[e + q] * (sums[q] + sumOf(dots[q]));
    }
    for (; e < end; ++e) {
      const float *other = b.data + std::size_t{column.data[e]} * width;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t f = 0; f < width; ++f) sum += own[f] * other[f];
      out.data[e] = value.data[e] * sum;
    }
  }
}

// ---- deposit: threads have particles and a mesh of their own, which are put together. Places and shares of a block of
// particles are computed by vectors; four shares are then added. A mesh has a row and a column more, for what goes
// round.

void deposit(In<float, 1> x, In<float, 1> y, In<float, 1> charge, Out<float, 2> density) {
  constexpr std::size_t kBlock = 64;
  const std::size_t particles = x.size[0];
  const int rows = static_cast<int>(density.size[0]), columns = static_cast<int>(density.size[1]);
  const std::size_t pitch = columns + 1, all = (rows + 1) * pitch;
  const auto wrap = [](int i, int n) { return (i % n + n) % n; };
  std::vector<std::unique_ptr<float[]>> meshes; // of each thread
#pragma omp parallel
  {
#pragma omp single
    meshes.resize(omp_get_num_threads());
    float *mesh = new float[all];
    std::fill_n(mesh, all, 0.0f);
    meshes[omp_get_thread_num()].reset(mesh);
    const float wide = static_cast<float>(columns), high = static_cast<float>(rows);
#pragma omp for schedule(static)
    for (std::size_t first = 0; first < particles; first += kBlock) {
      const std::size_t there = std::min(kBlock, particles - first);
      int at[kBlock], left[kBlock], top[kBlock], outside = 0;
      float share[4][kBlock];
#pragma omp simd reduction(| : outside)
      for (std::size_t l = 0; l < there; ++l) {
        const float px = x.data[first + l] * wide, py = y.data[first + l] * high, c = charge.data[first + l];
        const float j = std::floor(px), i = std::floor(py), fx = px - j, fy = py - i;
        left[l] = static_cast<int>(j);
        top[l] = static_cast<int>(i);
        outside |= left[l] < 0 || left[l] >= columns || top[l] < 0 || top[l] >= rows;
        at[l] = top[l] * static_cast<int>(pitch) + left[l];
        share[0][l] = c * (1 - fx) * (1 - fy);
        share[1][l] = c * fx * (1 - fy);
        share[2][l] = c * (1 - fx) * fy;
        share[3][l] = c * fx * fy;
      }
      if (outside)
        for (std::size_t l = 0; l < there; ++l)
          at[l] = wrap(top[l], rows) * static_cast<int>(pitch) + wrap(left[l], columns);
      for (std::size_t l = 0; l < there; ++l) {
        float *to = mesh + at[l];
        to[0] += share[0][l];
        to[1] += share[1][l];
        to[pitch] += share[2][l];
        to[pitch + 1] += share[3][l];
      }
    }
#pragma omp for schedule(static)
    for (int i = 0; i < rows; ++i) {
      float *to = density.data + static_cast<std::size_t>(i) * columns;
      for (std::size_t t = 0; t < meshes.size(); ++t) {
        const float *from = meshes[t].get() + i * pitch, *last = meshes[t].get() + rows * pitch;
        if (t == 0)
          std::copy_n(from, columns, to);
        else
#pragma omp simd
          for (int j = 0; j < columns; ++j) to[j] += from[j];
        to[0] += from[columns];
        if (i == 0) {
          for (int j = 0; j < columns; ++j) to[j] += last[j];
          to[0] += last[columns];
        }
      }
    }
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<yuv2rgb> yuv2rgbPeer("yuv2rgb", "openmp", {"y", "u", "v", "rgb"});
const Peer<pixelshuffle> pixelshufflePeer("pixelshuffle", "openmp", {"factor", "in", "out"});
const Peer<dequant4> dequant4Peer("dequant4", "openmp", {"packed", "scale", "zero", "out"});
const Peer<haar> haarPeer("haar", "openmp", {"in", "out"});
const Peer<layernormgrad> layernormgradPeer("layernormgrad", "openmp",
                                            {"x", "gain", "mean", "inverse", "dy", "dx", "dgain", "dbias"});
const Peer<colpeak> colpeakPeer("colpeak", "openmp", {"in", "peak", "row"});
const Peer<moments> momentsPeer("moments", "openmp", {"in", "out"});
const Peer<wave2d> wave2dPeer("wave2d", "openmp", {"steps", "speed", "damp_row", "damp_column", "height", "velocity"});
const Peer<binomial> binomialPeer("binomial", "openmp", {"rate", "volatility", "price", "strike", "years", "put"});
const Peer<knapsack> knapsackPeer("knapsack", "openmp", {"weight", "worth", "best"});
const Peer<gqadecode> gqadecodePeer("gqadecode", "openmp", {"q", "k", "v", "length", "out"});
const Peer<contraction> contractionPeer("contraction", "openmp", {"x", "y", "c"});
const Peer<sddmm> sddmmPeer("sddmm", "openmp", {"row", "column", "value", "a", "b", "out"});
const Peer<deposit> depositPeer("deposit", "openmp", {"x", "y", "charge", "density"});

} // namespace

BENCH_PEERS(&yuv2rgbPeer.kernel, &pixelshufflePeer.kernel, &dequant4Peer.kernel, &haarPeer.kernel,
            &layernormgradPeer.kernel, &colpeakPeer.kernel, &momentsPeer.kernel, &wave2dPeer.kernel,
            &binomialPeer.kernel, &knapsackPeer.kernel, &gqadecodePeer.kernel, &contractionPeer.kernel,
            &sddmmPeer.kernel, &depositPeer.kernel)
