// The programs of apps/held-out-3 as one would write them for a CPU: OpenMP, blocked for caches and registers; OpenBLAS
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

// ---- heat3d: a step is one pass over memory: a plane of b, and then that of a before it, all of whose neighbours are
// there. Threads have planes of their own; the first and the last one of a wait for the neighbours' of b.

void heatPlane(const double *from, double *to, std::size_t nj, std::size_t nk) {
  const auto plane = static_cast<std::ptrdiff_t>(nj * nk), row = static_cast<std::ptrdiff_t>(nk);
  for (std::size_t j = 1; j + 1 < nj; ++j) {
    const double *f = from + j * nk;
    double *t = to + j * nk;
#pragma omp simd
    for (std::ptrdiff_t k = 1; k < row - 1; ++k)
      t[k] = 0.25 * f[k] + 0.125 * (f[k - plane] + f[k + plane] + f[k - row] + f[k + row] + f[k - 1] + f[k + 1]);
  }
}

void heat3d(int steps, Out<double, 3> a, Out<double, 3> b) {
  const std::size_t ni = a.size[0], nj = a.size[1], nk = a.size[2], plane = nj * nk;
  if (ni < 3 || nj < 3 || nk < 3) return;
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = 1 + (ni - 2) * own / threads, end = 1 + (ni - 2) * (own + 1) / threads;
    auto ofB = [=](std::size_t i) { heatPlane(a.data + i * plane, b.data + i * plane, nj, nk); };
    auto ofA = [=](std::size_t i) { heatPlane(b.data + i * plane, a.data + i * plane, nj, nk); };
    for (int t = 0; t < steps; ++t) {
      for (std::size_t i = begin; i < end; ++i) {
        ofB(i);
        if (i >= begin + 2) ofA(i - 1);
      }
#pragma omp barrier
      if (begin < end) ofA(begin);
      if (begin + 1 < end) ofA(end - 1);
#pragma omp barrier
    }
  }
}

// ---- spmm: a row of results in registers, for which rows of b are streamed; threads have as many elements

void spmm(In<unsigned, 1> row, In<unsigned, 1> column, In<float, 1> value, In<float, 2> b, Out<float, 2> c) {
  constexpr std::size_t kColumns = 64, kVectors = kColumns / kWide, kAhead = 8;
  const std::size_t rows = c.size[0];
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t i = 0; i < rows; ++i) {
    Vector sum[kVectors] = {};
    const std::size_t end = row.data[i + 1], last = column.size[0];
    for (std::size_t k = row.data[i]; k < end; ++k) {
      const float *from = b.data + column.data[k] * kColumns;
      if (k + kAhead < last) {
        const float *next = b.data + column.data[k + kAhead] * kColumns;
#pragma GCC unroll 4
        for (std::size_t l = 0; l < kColumns; l += 16) __builtin_prefetch(next + l);
      }
      const float by = value.data[k];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] += by * vector(from + v * kWide);
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) vector(c.data + i * kColumns + v * kWide) = sum[v];
  }
}

// ---- rmsnorm: a row stays in the cache between its sum and its results

void rmsnorm(float epsilon, In<float, 2> in, In<float, 1> gain, Out<float, 2> out) {
  const std::size_t n = in.size[1];
  const float *g = gain.data;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < in.size[0]; ++i) {
    const float *from = in.data + i * n;
    float *to = out.data + i * n;
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t j = 0; j < n; ++j) squares += from[j] * from[j];
    const float scale = 1 / std::sqrt(squares / static_cast<float>(n) + epsilon);
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) to[j] = from[j] * scale * g[j];
  }
}

// ---- maxpool: the greatest of three rows, and then of three of these numbers

void maxpool(In<float, 4> in, Out<float, 4> out) {
  const std::size_t planes = in.size[0] * in.size[1], height = in.size[2], width = in.size[3];
  const std::size_t rows = out.size[2], columns = out.size[3];
#pragma omp parallel
  {
    constexpr float kLeast = std::numeric_limits<float>::lowest();
    std::vector<float> line(2 * columns + 1, kLeast); // element x + 1 is that of column x
#pragma omp for schedule(static)
    for (std::size_t p = 0; p < planes; ++p)
      for (std::size_t y = 0; y < rows; ++y) {
        const float *here = in.data + (p * height + 2 * y) * width;
        const float *above = y > 0 ? here - width : here, *below = 2 * y + 1 < height ? here + width : here;
        float *most = line.data() + 1, *to = out.data + (p * rows + y) * columns;
#pragma omp simd
        for (std::size_t x = 0; x < width; ++x) most[x] = std::max(std::max(above[x], here[x]), below[x]);
#pragma omp simd
        for (std::size_t x = 0; x < columns; ++x)
          to[x] = std::max(std::max(most[2 * x - 1], most[2 * x]), most[2 * x + 1]);
      }
  }
}

// ---- depthwise: vectors of channels, their weights in registers; four points of a row share what they read

void depthwise(In<float, 4> in, In<float, 3> weights, Out<float, 4> out) {
  constexpr std::size_t kPoints = 4;
  const std::size_t images = in.size[0], height = in.size[1], width = in.size[2], channels = in.size[3];
  const std::vector<float> zeros(channels, 0.0f);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t n = 0; n < images; ++n)
    for (std::size_t y = 0; y < height; ++y) {
      // Number x of row y + r - 1, or zeros.
      auto at = [&](std::size_t r, std::size_t x) {
        const bool there = y + r >= 1 && y + r - 1 < height && x < width;
        return there ? in.data + ((n * height + y + r - 1) * width + x) * channels : zeros.data();
      };
      float *to = out.data + (n * height + y) * width * channels;
      for (std::size_t x = 0; x < width; x += kPoints) {
        const float *from[3][kPoints + 2];
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t s = 0; s < kPoints + 2; ++s) from[r][s] = at(r, x + s - 1); // before the first: very large
        const std::size_t points = std::min(kPoints, width - x);
        std::size_t c = 0;
        for (; c + kWide <= channels; c += kWide) {
          Vector sum[kPoints] = {};
#pragma GCC unroll 3
          for (std::size_t r = 0; r < 3; ++r) {
            Vector own[kPoints + 2];
#pragma GCC unroll 6
            for (std::size_t s = 0; s < kPoints + 2; ++s) own[s] = vector(from[r][s] + c);
#pragma GCC unroll 3
            for (std::size_t s = 0; s < 3; ++s) {
              const Vector by = vector(weights.data + (r * 3 + s) * channels + c);
#pragma GCC unroll 4
              for (std::size_t p = 0; p < kPoints; ++p) sum[p] += by * own[p + s];
            }
          }
          if (points == kPoints) {
#pragma GCC unroll 4
            for (std::size_t p = 0; p < kPoints; ++p) vector(to + (x + p) * channels + c) = sum[p];
          } else {
            for (std::size_t p = 0; p < points; ++p) vector(to + (x + p) * channels + c) = sum[p];
          }
        }
        for (; c < channels; ++c)
          for (std::size_t p = 0; p < points; ++p) {
            float sum = 0;
            for (std::size_t r = 0; r < 3; ++r)
              for (std::size_t s = 0; s < 3; ++s) sum += weights.data[(r * 3 + s) * channels + c] * from[r][p + s][c];
            to[(x + p) * channels + c] = sum;
          }
      }
    }
}

// ---- integral: threads have rows of their own, and find out first what the columns above them add up to

#ifdef __AVX512F__
/// Of each lane the sum of it and those before.
__m512i sums(__m512i x) {
  const __m512i zero = _mm512_setzero_si512();
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
  return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}
#endif

/// to = above + the sums along the row.
void integralRow(const Byte *from, const unsigned *above, unsigned *to, std::size_t width) {
  unsigned sum = 0;
  std::size_t j = 0;
#ifdef __AVX512F__
  __m512i carry = _mm512_setzero_si512();
  const __m512i last = _mm512_set1_epi32(15);
  for (; j + 16 <= width; j += 16) {
    const __m512i own = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + j)));
    const __m512i along = _mm512_add_epi32(sums(own), carry);
    _mm512_storeu_si512(to + j, _mm512_add_epi32(along, _mm512_loadu_si512(above + j)));
    carry = _mm512_permutexvar_epi32(last, along);
  }
  sum = static_cast<unsigned>(_mm_cvtsi128_si32(_mm512_castsi512_si128(carry)));
#endif
  for (; j < width; ++j) to[j] = above[j] + (sum += from[j]);
}

void integral(In<Byte, 2> in, Out<unsigned, 2> out) {
  const std::size_t height = in.size[0], width = in.size[1];
  std::vector<unsigned> columns; // of each thread
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = height * own / threads, end = height * (own + 1) / threads;
#pragma omp single
    columns.assign(threads * width, 0);
    unsigned *mine = columns.data() + own * width;
    if (own + 1 < threads)
      for (std::size_t i = begin; i < end; ++i) {
        const Byte *from = in.data + i * width;
#pragma omp simd
        for (std::size_t j = 0; j < width; ++j) mine[j] += from[j];
      }
#pragma omp barrier
    std::vector<unsigned> top(width, 0);
    for (std::size_t t = 0; t < own; ++t)
      for (std::size_t j = 0; j < width; ++j) top[j] += columns[t * width + j];
    for (std::size_t j = 1; j < width; ++j) top[j] += top[j - 1];
    for (std::size_t i = begin; i < end; ++i)
      integralRow(in.data + i * width, i == begin ? top.data() : out.data + (i - 1) * width, out.data + i * width,
                  width);
  }
}

// ---- ljforces: vectors of an atom's neighbours, with three numbers of each in one place

void ljforces(float cutoff, In<float, 1> x, In<float, 1> y, In<float, 1> z, In<int, 1> count, In<int, 2> neighbour,
              Out<float, 1> fx, Out<float, 1> fy, Out<float, 1> fz) {
  const std::size_t n = x.size[0], most = neighbour.size[1];
  const float limit = cutoff * cutoff;
  const float *px = x.data, *py = y.data, *pz = z.data;
#pragma omp parallel for schedule(dynamic, 512)
  for (std::size_t i = 0; i < n; ++i) {
    const int *list = neighbour.data + i * most, own = count.data[i];
    const float xi = px[i], yi = py[i], zi = pz[i];
    float sumX = 0, sumY = 0, sumZ = 0;
#ifdef __AVX512F__
    __m512 totalX = _mm512_setzero_ps(), totalY = totalX, totalZ = totalX;
    for (int k = 0; k < own; k += 16) {
      const __mmask16 live = own - k >= 16 ? 0xffff : static_cast<__mmask16>((1u << (own - k)) - 1);
      const __m512i j = _mm512_maskz_loadu_epi32(live, list + k);
      const __m512 none = _mm512_setzero_ps();
      const __m512 dx = _mm512_sub_ps(_mm512_set1_ps(xi), _mm512_mask_i32gather_ps(none, live, j, px, 4));
      const __m512 dy = _mm512_sub_ps(_mm512_set1_ps(yi), _mm512_mask_i32gather_ps(none, live, j, py, 4));
      const __m512 dz = _mm512_sub_ps(_mm512_set1_ps(zi), _mm512_mask_i32gather_ps(none, live, j, pz, 4));
      const __m512 square = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dz, dz)));
      const __mmask16 near = _mm512_mask_cmp_ps_mask(_mm512_mask_cmp_ps_mask(live, square, none, _CMP_GT_OQ), square,
                                                     _mm512_set1_ps(limit), _CMP_LT_OQ);
      const __m512 inverse = _mm512_maskz_div_ps(near, _mm512_set1_ps(1), square);
      const __m512 sixth = _mm512_mul_ps(_mm512_mul_ps(inverse, inverse), inverse);
      const __m512 force = _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(48), sixth),
                                         _mm512_mul_ps(_mm512_sub_ps(sixth, _mm512_set1_ps(0.5f)), inverse));
      totalX = _mm512_fmadd_ps(force, dx, totalX);
      totalY = _mm512_fmadd_ps(force, dy, totalY);
      totalZ = _mm512_fmadd_ps(force, dz, totalZ);
    }
    sumX = _mm512_reduce_add_ps(totalX);
    sumY = _mm512_reduce_add_ps(totalY);
    sumZ = _mm512_reduce_add_ps(totalZ);
#else
#pragma omp simd reduction(+ : sumX, sumY, sumZ)
    for (int k = 0; k < own; ++k) {
      const int j = list[k];
      const float dx = xi - px[j], dy = yi - py[j], dz = zi - pz[j], square = dx * dx + dy * dy + dz * dz;
      const bool near = square > 0 && square < limit;
      const float inverse = near ? 1 / (near ? square : 1) : 0, sixth = inverse * inverse * inverse;
      const float force = 48 * sixth * (sixth - 0.5f) * inverse;
      sumX += force * dx;
      sumY += force * dy;
      sumZ += force * dz;
    }
#endif
    fx.data[i] = sumX;
    fy.data[i] = sumY;
    fz.data[i] = sumZ;
  }
}

// ---- pagerank: shares first, so that a link is one number; threads take some rows at a time

void pagerank(float damping, In<unsigned, 1> row, In<unsigned, 1> from, In<unsigned, 1> links, Out<float, 1> rank,
              Result<float> result) {
  const std::size_t n = rank.size[0];
  const std::unique_ptr<float[]> share(new float[n]);
  const float base = (1 - damping) / static_cast<float>(n);
  float change = 0;
#pragma omp parallel
  {
#pragma omp for simd schedule(static)
    for (std::size_t i = 0; i < n; ++i) share[i] = rank.data[i] / static_cast<float>(links.data[i]);
#pragma omp for schedule(dynamic, 1024) reduction(+ : change)
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t end = row.data[i + 1];
      float sum[4] = {};
      std::size_t k = row.data[i];
      for (; k + 4 <= end; k += 4)
#pragma GCC unroll 4
        for (std::size_t l = 0; l < 4; ++l) sum[l] += share[from.data[k + l]];
      for (; k < end; ++k) sum[0] += share[from.data[k]];
      const float next = base + damping * (sum[0] + sum[1] + sum[2] + sum[3]);
      change += std::abs(next - rank.data[i]);
      rank.data[i] = next;
    }
  }
  *result.data = change;
}

// ---- adam: what is the same for all is computed before

void adam(int step, float rate, float beta1, float beta2, float epsilon, In<float, 1> gradient, Out<float, 1> weight,
          Out<float, 1> mean, Out<float, 1> square) {
  const std::size_t n = weight.size[0];
  const float first = rate / (1 - std::pow(beta1, static_cast<float>(step)));
  const float second = 1 / (1 - std::pow(beta2, static_cast<float>(step)));
  const float *__restrict__ g = gradient.data;
  float *__restrict__ w = weight.data, *__restrict__ m = mean.data, *__restrict__ s = square.data;
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = beta1 * m[i] + (1 - beta1) * g[i];
    s[i] = beta2 * s[i] + (1 - beta2) * g[i] * g[i];
    w[i] -= first * m[i] / (std::sqrt(s[i] * second) + epsilon);
  }
}

// ---- thomas: a vector has one number of each of 16 systems, which square tiles are transposed for, in registers

#ifdef __AVX512F__
struct Square {
  __m512 row[16];
  __m512 &operator[](std::size_t i) { return row[i]; }
  const __m512 &operator[](std::size_t i) const { return row[i]; }
};

void transpose(Square &a) {
  Square t;
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 4) {
    auto pair = [](__m512 low, __m512 high, bool upper) {
      const __m512d l = _mm512_castps_pd(low), h = _mm512_castps_pd(high);
      return _mm512_castpd_ps(upper ? _mm512_unpackhi_pd(l, h) : _mm512_unpacklo_pd(l, h));
    };
    a[i] = pair(t[i], t[i + 2], false);
    a[i + 1] = pair(t[i], t[i + 2], true);
    a[i + 2] = pair(t[i + 1], t[i + 3], false);
    a[i + 3] = pair(t[i + 1], t[i + 3], true);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    a[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
    a[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
    a[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

/// `columns` numbers of `rows` rows; others are `rest`.
Square load(const float *from, std::size_t pitch, std::size_t rows, std::size_t columns, float rest) {
  const auto there = static_cast<__mmask16>((1u << columns) - 1);
  Square result;
#pragma GCC unroll 16
  for (std::size_t r = 0; r < 16; ++r)
    result[r] = _mm512_mask_loadu_ps(_mm512_set1_ps(rest), r < rows ? there : 0, from + r * pitch);
  transpose(result);
  return result;
}

void thomas(In<float, 2> lower, In<float, 2> diagonal, In<float, 2> upper, In<float, 2> right, Out<float, 2> x) {
  const std::size_t systems = x.size[0], n = x.size[1];
#pragma omp parallel
  {
    const std::size_t tiles = (n + 15) / 16;
    const std::unique_ptr<Square[]> ratio(new Square[tiles]), half(new Square[tiles]);
#pragma omp for schedule(static)
    for (std::size_t s = 0; s < systems; s += 16) {
      const std::size_t rows = std::min<std::size_t>(16, systems - s);
      __m512 c = _mm512_setzero_ps(), d = c;
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t at = s * n + t * 16, columns = std::min<std::size_t>(16, n - t * 16);
        Square a = load(lower.data + at, n, rows, columns, 0);
        const Square b = load(diagonal.data + at, n, rows, columns, 1);
        const Square u = load(upper.data + at, n, rows, columns, 0), r = load(right.data + at, n, rows, columns, 0);
        if (t == 0) a[0] = _mm512_setzero_ps(); // it is not read
        Square &ratios = ratio[t], &halves = half[t];
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
          const __m512 pivot = _mm512_div_ps(_mm512_set1_ps(1), _mm512_fnmadd_ps(a[i], c, b[i]));
          ratios[i] = c = _mm512_mul_ps(u[i], pivot);
          halves[i] = d = _mm512_mul_ps(_mm512_fnmadd_ps(a[i], d, r[i]), pivot);
        }
      }
      // The last ratio is not used; what is behind it is zero.
      ratio[tiles - 1][(n - 1) % 16] = _mm512_setzero_ps();
      d = _mm512_setzero_ps();
      for (std::size_t t = tiles; t-- > 0;) {
        Square result;
#pragma GCC unroll 16
        for (int i = 15; i >= 0; --i) result[i] = d = _mm512_fnmadd_ps(ratio[t][i], d, half[t][i]);
        transpose(result);
        const std::size_t columns = std::min<std::size_t>(16, n - t * 16);
#pragma GCC unroll 16
        for (std::size_t r = 0; r < 16; ++r)
          if (r < rows)
            _mm512_mask_storeu_ps(x.data + (s + r) * n + t * 16, static_cast<__mmask16>((1u << columns) - 1),
                                  result[r]);
      }
    }
  }
}
#else
void thomas(In<float, 2> lower, In<float, 2> diagonal, In<float, 2> upper, In<float, 2> right, Out<float, 2> x) {
  const std::size_t n = x.size[1];
#pragma omp parallel
  {
    std::vector<float> ratio(n);
#pragma omp for schedule(static)
    for (std::size_t s = 0; s < x.size[0]; ++s) {
      const float *a = lower.data + s * n, *b = diagonal.data + s * n, *c = upper.data + s * n, *d = right.data + s * n;
      float *to = x.data + s * n;
      ratio[0] = c[0] / b[0];
      to[0] = d[0] / b[0];
      for (std::size_t i = 1; i < n; ++i) {
        const float pivot = 1 / (b[i] - a[i] * ratio[i - 1]);
        ratio[i] = c[i] * pivot;
        to[i] = (d[i] - a[i] * to[i - 1]) * pivot;
      }
      for (std::size_t i = n - 1; i > 0; --i) to[i - 1] -= ratio[i - 1] * to[i];
    }
  }
}
#endif

// ---- median: columns of three in order, which three neighbours share; then the median of the greatest least one, of
// the median of medians and of the least greatest one. Vectors of bytes.

Byte middle(Byte a, Byte b, Byte c) {
  const Byte low = std::min(a, b), high = std::max(a, b);
  return std::max(low, std::min(high, c));
}

void median(In<Byte, 2> in, Out<Byte, 2> out) {
  const std::size_t height = in.size[0], width = in.size[1];
  if (width == 0) return;
#pragma omp parallel
  {
    const std::unique_ptr<Byte[]> lines(new Byte[3 * (width + 2)]);
    Byte *low = lines.get() + 1, *mid = low + width + 2, *high = mid + width + 2;
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < height; ++y) {
      const Byte *here = in.data + y * width, *above = y > 0 ? here - width : here;
      const Byte *below = y + 1 < height ? here + width : here;
#pragma omp simd
      for (std::size_t x = 0; x < width; ++x) {
        const Byte least = std::min(above[x], here[x]), most = std::max(above[x], here[x]);
        const Byte between = std::min(most, below[x]);
        high[x] = std::max(most, below[x]);
        low[x] = std::min(least, between);
        mid[x] = std::max(least, between);
      }
      for (Byte *line : {low, mid, high}) {
        line[-1] = line[0];
        line[width] = line[width - 1];
      }
      Byte *to = out.data + y * width;
#pragma omp simd
      for (std::size_t x = 0; x < width; ++x) {
        const Byte *l = low + x, *m = mid + x, *h = high + x;
        to[x] = middle(std::max(std::max(l[-1], l[0]), l[1]), middle(m[-1], m[0], m[1]),
                       std::min(std::min(h[-1], h[0]), h[1]));
      }
    }
  }
}

// ---- groupby: a table of each thread

void groupby(In<unsigned, 1> key, In<float, 1> value, Out<float, 1> sum, Out<unsigned, 1> count) {
  constexpr std::size_t kKeys = 1024;
  struct alignas(64) Table {
    float sum[kKeys];
    unsigned count[kKeys];
  };
  const std::size_t n = key.size[0];
  std::vector<Table> all(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    Table &own = all[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      const unsigned k = key.data[i];
      own.sum[k] += value.data[i];
      ++own.count[k];
    }
#pragma omp for schedule(static)
    for (std::size_t k = 0; k < kKeys; ++k) {
      sum.data[k] = 0;
      count.data[k] = 0;
      for (const Table &table : all) {
        sum.data[k] += table.sum[k];
        count.data[k] += table.count[k];
      }
    }
  }
}

// ---- life: sums of three rows, and then of three of these. Vectors of bytes.

void life(In<Byte, 2> in, Out<Byte, 2> out) {
  const std::size_t height = in.size[0], width = in.size[1];
  if (width == 0) return;
#pragma omp parallel
  {
    const std::unique_ptr<Byte[]> lines(new Byte[width + 2]);
    Byte *three = lines.get() + 1;
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < height; ++y) {
      const Byte *here = in.data + y * width, *above = in.data + (y > 0 ? y - 1 : height - 1) * width;
      const Byte *below = in.data + (y + 1 < height ? y + 1 : 0) * width;
#pragma omp simd
      for (std::size_t x = 0; x < width; ++x) three[x] = static_cast<Byte>(above[x] + here[x] + below[x]);
      three[-1] = three[width - 1];
      three[width] = three[0];
      Byte *to = out.data + y * width;
#pragma omp simd
      for (std::size_t x = 0; x < width; ++x) {
        const Byte all = static_cast<Byte>(three[x - 1] + three[x] + three[x + 1] - here[x]);
        to[x] = static_cast<Byte>((all == 3) | ((all == 2) & (here[x] == 1)));
      }
    }
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<heat3d> heat3dPeer("heat3d", "openmp", {"steps", "a", "b"});
const Peer<spmm> spmmPeer("spmm", "openmp", {"row", "column", "value", "b", "c"});
const Peer<rmsnorm> rmsnormPeer("rmsnorm", "openmp", {"epsilon", "in", "gain", "out"});
const Peer<maxpool> maxpoolPeer("maxpool", "openmp", {"in", "out"});
const Peer<depthwise> depthwisePeer("depthwise", "openmp", {"in", "weights", "out"});
const Peer<integral> integralPeer("integral", "openmp", {"in", "out"});
const Peer<ljforces> ljforcesPeer("ljforces", "openmp",
                                  {"cutoff", "x", "y", "z", "count", "neighbour", "fx", "fy", "fz"});
const Peer<pagerank> pagerankPeer("pagerank", "openmp", {"damping", "row", "from", "links", "rank", "result"});
const Peer<adam> adamPeer("adam", "openmp",
                          {"step", "rate", "beta1", "beta2", "epsilon", "gradient", "weight", "mean", "square"});
const Peer<thomas> thomasPeer("thomas", "openmp", {"lower", "diagonal", "upper", "right", "x"});
const Peer<median> medianPeer("median", "openmp", {"in", "out"});
const Peer<groupby> groupbyPeer("groupby", "openmp", {"key", "value", "sum", "count"});
const Peer<life> lifePeer("life", "openmp", {"in", "out"});

#ifdef TANGRAM_BENCH_OPENBLAS

// ---- lu: by blocks: a square on the diagonal, by triangles what is right of and below it, by a product the rest

void lu(double shift, Out<double, 2> a) {
  constexpr std::size_t kBlock = 64;
  const std::size_t n = a.size[0];
  const auto count = [](std::size_t x) { return static_cast<int>(x); };
  for (std::size_t i = 0; i < n; ++i) a.data[i * n + i] += shift;
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t size = std::min(kBlock, n - first), next = first + size, rest = n - next;
    double *square = a.data + first * n + first;
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t i = k + 1; i < size; ++i) {
        const double by = square[i * n + k] /= square[k * n + k];
#pragma omp simd
        for (std::size_t j = k + 1; j < size; ++j) square[i * n + j] -= by * square[k * n + j];
      }
    if (rest == 0) return;
    double *right = square + size, *below = square + size * n, *others = below + size;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, count(size), count(rest), 1, square,
                count(n), right, count(n));
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, count(rest), count(size), 1, square,
                count(n), below, count(n));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count(rest), count(rest), count(size), -1, below, count(n),
                right, count(n), 1, others, count(n));
  }
}

// ---- gramschmidt: by blocks of columns: these among themselves, their columns turned into rows, and by two products
// what the others have in common with them. One thread has the block, with smaller ones in it; then each thread calls
// OpenBLAS for columns of its own: two pools of threads that wait for each other's are slow.

/// Rows of `left` among themselves: `unit` is what they are with a length of 1. Pitches: m, and n for r.
void orthogonalise(double *left, double *unit, double *r, std::size_t size, std::size_t m, std::size_t n) {
  constexpr std::size_t kFew = 8;
  const auto count = [](std::size_t x) { return static_cast<int>(x); };
  for (std::size_t first = 0; first < size; first += kFew) {
    const std::size_t next = std::min(first + kFew, size);
    for (std::size_t k = first; k < next; ++k) {
      const double *own = left + k * m;
      double *q = unit + k * m, norm = 0;
#pragma omp simd reduction(+ : norm)
      for (std::size_t i = 0; i < m; ++i) norm += own[i] * own[i];
      norm = r[k * n + k] = std::sqrt(norm);
#pragma omp simd
      for (std::size_t i = 0; i < m; ++i) q[i] = own[i] / norm;
      for (std::size_t j = k + 1; j < next; ++j) {
        double *other = left + j * m, along = 0;
#pragma omp simd reduction(+ : along)
        for (std::size_t i = 0; i < m; ++i) along += q[i] * other[i];
#pragma omp simd
        for (std::size_t i = 0; i < m; ++i) other[i] -= along * q[i];
        r[k * n + j] = along;
      }
    }
    if (next == size) return;
    double *common = r + first * n + next, *others = left + next * m;
    const double *own = unit + first * m;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count(next - first), count(size - next), count(m), 1, own,
                count(m), others, count(m), 0, common, count(n));
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, count(size - next), count(m), count(next - first), -1, common,
                count(n), own, count(m), 1, others, count(m));
  }
}

void gramschmidt(Out<double, 2> a, Out<double, 2> r, Out<double, 2> q) {
  constexpr std::size_t kBlock = 32;
  const std::size_t m = a.size[0], n = a.size[1];
  const auto count = [](std::size_t x) { return static_cast<int>(x); };
  const std::unique_ptr<double[]> left(new double[kBlock * m]), unit(new double[kBlock * m]);
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(1);
#pragma omp parallel
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t size = std::min(kBlock, n - first), next = first + size;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < size; ++k) left[k * m + i] = a.data[i * n + first + k];
#pragma omp single
    orthogonalise(left.get(), unit.get(), r.data + first * n + first, size, m, n);
    const std::size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::size_t begin = next + (n - next) * thread / threads, end = next + (n - next) * (thread + 1) / threads;
    double *common = r.data + first * n + begin, *others = a.data + begin;
    if (begin < end) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count(size), count(end - begin), count(m), 1, unit.get(),
                  count(m), others, count(n), 0, common, count(n));
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, count(m), count(end - begin), count(size), -1, unit.get(),
                  count(m), common, count(n), 1, others, count(n));
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < size; ++k) {
        a.data[i * n + first + k] = left[k * m + i];
        q.data[i * n + first + k] = unit[k * m + i];
      }
  }
  openblas_set_num_threads(before);
}

const Peer<lu> luPeer("lu", "openblas", {"shift", "a"});
const Peer<gramschmidt> gramschmidtPeer("gramschmidt", "openblas", {"a", "r", "q"});

#define BLAS_PEERS , &luPeer.kernel, &gramschmidtPeer.kernel
#else
#define BLAS_PEERS
#endif

} // namespace

BENCH_PEERS(&heat3dPeer.kernel, &spmmPeer.kernel, &rmsnormPeer.kernel, &maxpoolPeer.kernel, &depthwisePeer.kernel,
            &integralPeer.kernel, &ljforcesPeer.kernel, &pagerankPeer.kernel, &adamPeer.kernel, &thomasPeer.kernel,
            &medianPeer.kernel, &groupbyPeer.kernel, &lifePeer.kernel BLAS_PEERS)
