// The programs of apps/held-out-8 as one would write them for a CPU: OpenMP, blocked for caches and registers; a
// number, a frame or a matrix for each lane of a vector where they are many. Compiled with -ffast-math, by which GCC
// has functions of vectors.
#include "peer_attention.h"

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
using Words = unsigned __attribute__((vector_size(kWide * sizeof(unsigned)), aligned(sizeof(unsigned))));
using Bytes = Byte __attribute__((vector_size(kWide), aligned(1)));
using Shorts = short __attribute__((vector_size(kWide * sizeof(float)), aligned(sizeof(short))));

inline Words &words(unsigned *to) { return *reinterpret_cast<Words *>(to); }
inline const Bytes &bytes(const Byte *from) { return *reinterpret_cast<const Bytes *>(from); }
inline Bytes &bytes(Byte *to) { return *reinterpret_cast<Bytes *>(to); }
inline Shorts &shorts(short *to) { return *reinterpret_cast<Shorts *>(to); }

/// Bytes as numbers of 32 bits, and back: GCC 12 converts them one by one.
inline Words widened(const Bytes &x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(_mm512_cvtepu8_epi32(reinterpret_cast<__m128i>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(&x))));
#else
  return __builtin_convertvector(x, Words);
#endif
}
inline Bytes narrowed(const Words &x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Bytes>(_mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(x)));
#else
  return __builtin_convertvector(x, Bytes);
#endif
}

inline float total(const Vector &x) {
  float sum = 0;
  for (std::size_t l = 0; l < kWide; ++l) sum += x[l];
  return sum;
}

/// Of `count` things, where the part of this thread begins and ends.
struct Share {
  std::size_t begin, end;
  explicit Share(std::size_t count) {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    begin = count * own / threads;
    end = count * (own + 1) / threads;
  }
};

// ---- prefill: blocks of queries and tiles of the keys before them, with the greatest score and the sum so far (online
// softmax)

/// Heads of other sizes: a row at a time.
void anyPrefill(In<float, 3> q, In<float, 3> k, In<float, 3> v, Out<float, 3> o) {
  const std::size_t tokens = q.size[1], depth = q.size[2];
  const float scale = 1 / std::sqrt(static_cast<float>(depth));
#pragma omp parallel for collapse(2) schedule(dynamic, 16)
  for (std::size_t h = 0; h < q.size[0]; ++h)
    for (std::size_t i = 0; i < tokens; ++i) {
      const std::size_t keys = i + 1, head = h * tokens * depth;
      const std::unique_ptr<float[]> score(new float[keys]);
      float most = std::numeric_limits<float>::lowest(), sum = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        float dot = 0;
#pragma omp simd reduction(+ : dot)
        for (std::size_t d = 0; d < depth; ++d) dot += q.data[head + i * depth + d] * k.data[head + j * depth + d];
        score[j] = dot * scale;
        most = std::max(most, score[j]);
      }
#pragma omp simd reduction(+ : sum)
      for (std::size_t j = 0; j < keys; ++j) sum += score[j] = std::exp(score[j] - most);
      float *to = o.data + head + i * depth;
      std::fill(to, to + depth, 0.0f);
      for (std::size_t j = 0; j < keys; ++j)
#pragma omp simd
        for (std::size_t d = 0; d < depth; ++d) to[d] += score[j] / sum * v.data[head + j * depth + d];
    }
}

void prefill(In<float, 3> q, In<float, 3> k, In<float, 3> v, Out<float, 3> o) {
  if (q.size[2] != kDepth) return anyPrefill(q, k, v, o);
  const std::size_t heads = q.size[0], tokens = q.size[1], tiles = (tokens + kKeys - 1) / kKeys;
  const std::size_t blocks = (tokens + kQueries - 1) / kQueries;
  const float scale = 1 / std::sqrt(static_cast<float>(kDepth)), lowest = std::numeric_limits<float>::lowest();
  // Tiles of keys, turned: neighbouring keys are a vector.
  const std::unique_ptr<float[]> turned(new float[heads * tiles * kDepth * kKeys]);
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(static)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < tiles; ++t)
        for (std::size_t j = 0; j < kKeys; ++j)
          for (std::size_t d = 0; d < kDepth; ++d)
            turned[((h * tiles + t) * kDepth + d) * kKeys + j] =
                t * kKeys + j < tokens ? k.data[(h * tokens + t * kKeys + j) * kDepth + d] : 0;
#pragma omp for collapse(2) schedule(dynamic)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t first = (blocks - 1 - b) * kQueries, many = std::min(kQueries, tokens - first);
        float queries[kQueries][kDepth] = {}, results[kQueries][kDepth] = {}, scores[kQueries][kKeys];
        float most[kQueries], sum[kQueries] = {}, factor[kQueries];
        std::fill(most, most + kQueries, lowest);
        const float *from = q.data + (h * tokens + first) * kDepth;
        std::copy(from, from + many * kDepth, queries[0]);
        for (std::size_t t = 0; t * kKeys < first + many; ++t) {
          const std::size_t there = std::min(kKeys, first + many - t * kKeys); // for the last query
          scoresOf(queries[0], turned.get() + (h * tiles + t) * kDepth * kKeys, scale, scores);
          for (std::size_t r = 0; r < kQueries; ++r) {
            const std::size_t before = first + r + 1 > t * kKeys ? std::min(there, first + r + 1 - t * kKeys) : 0;
            float *row = scores[r], greatest = most[r], added = 0;
#pragma omp simd reduction(max : greatest)
            for (std::size_t j = 0; j < before; ++j) greatest = std::max(greatest, row[j]);
#pragma omp simd reduction(+ : added)
            for (std::size_t j = 0; j < before; ++j) {
              row[j] = std::exp(row[j] - greatest);
              added += row[j];
            }
            std::fill(row + before, row + there, 0.0f);
            factor[r] = std::exp(most[r] - greatest);
            sum[r] = factor[r] * sum[r] + added;
            most[r] = greatest;
          }
          addValues(scores, v.data + (h * tokens + t * kKeys) * kDepth, there, factor, results);
        }
        for (std::size_t r = 0; r < many; ++r)
          for (std::size_t d = 0; d < kDepth; ++d)
            o.data[(h * tokens + first + r) * kDepth + d] = results[r][d] / sum[r];
      }
  }
}

// ---- w4matmul: of four rows a block of weights becomes numbers once, for all tokens. Of each group those of low bits
// come first, in x as well.

constexpr std::size_t kGroup = 64, kGroupsAtOnce = 8, kAtOnce = kGroup * kGroupsAtOnce;

template <std::size_t kTokens>
inline void addProducts(const float *x, std::size_t pitch, const float (&weights)[4][kAtOnce], std::size_t many,
                        Vector (*sums)[4]) {
  Vector sum[kTokens][4];
#pragma GCC unroll 4
  for (std::size_t m = 0; m < kTokens; ++m)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) sum[m][r] = sums[m][r];
  for (std::size_t k = 0; k < many; k += kWide) {
    Vector w[4];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) w[r] = vector(&weights[r][k]);
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kTokens; ++m) {
      const Vector own = vector(x + m * pitch + k);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < 4; ++r) sum[m][r] += own * w[r];
    }
  }
#pragma GCC unroll 4
  for (std::size_t m = 0; m < kTokens; ++m)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) sums[m][r] = sum[m][r];
}

void w4matmul(In<float, 2> x, In<Byte, 2> packed, In<float, 2> scale, Out<float, 2> y) {
  const std::size_t tokens = y.size[0], rows = y.size[1], groups = scale.size[1], width = groups * kGroup;
  const std::unique_ptr<float[]> sorted(new float[tokens * width]);
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(static)
    for (std::size_t m = 0; m < tokens; ++m)
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t i = 0; i < kGroup / 2; ++i) {
          const float *from = x.data + m * width + g * kGroup + 2 * i;
          float *to = sorted.get() + m * width + g * kGroup + i;
          to[0] = from[0], to[kGroup / 2] = from[1];
        }
    std::vector<float> memory(tokens * 4 * kWide);
    auto *sums = reinterpret_cast<Vector(*)[4]>(memory.data());
    alignas(64) float weights[4][kAtOnce];
#pragma omp for schedule(static)
    for (std::size_t n = 0; n < rows; n += 4) {
      std::fill(memory.begin(), memory.end(), 0.0f);
      for (std::size_t first = 0; first < groups; first += kGroupsAtOnce) {
        const std::size_t many = std::min(kGroupsAtOnce, groups - first);
        for (std::size_t r = 0; r < 4; ++r) {
          const std::size_t row = std::min(n + r, rows - 1);
          for (std::size_t g = 0; g < many; ++g) {
            const Byte *from = packed.data + (row * groups + first + g) * (kGroup / 2);
            const float by = scale.data[row * groups + first + g];
            float *to = weights[r] + g * kGroup;
#pragma GCC unroll 4
            for (std::size_t i = 0; i < kGroup / 2; i += kWide) {
              const auto both = reinterpret_cast<Counts>(widened(bytes(from + i)));
              vector(to + i) = by * __builtin_convertvector((both & 15) - 8, Vector);
              vector(to + kGroup / 2 + i) = by * __builtin_convertvector((both >> 4) - 8, Vector);
            }
          }
        }
        std::size_t m = 0;
        const float *from = sorted.get() + first * kGroup;
        for (; m + 4 <= tokens; m += 4) addProducts<4>(from + m * width, width, weights, many * kGroup, sums + m);
        for (; m < tokens; ++m) addProducts<1>(from + m * width, width, weights, many * kGroup, sums + m);
      }
      for (std::size_t m = 0; m < tokens; ++m)
        for (std::size_t r = 0; r < std::min<std::size_t>(4, rows - n); ++r)
          y.data[m * rows + n + r] = total(sums[m][r]);
    }
  }
}

// ---- moegate: six tokens and 64 experts in registers at a time; then slots by how many tokens of each expert the
// threads before have

void moegate(In<float, 2> x, In<float, 2> w, Out<unsigned, 1> expert, Out<float, 1> gate, Out<unsigned, 1> slot,
             Out<unsigned, 1> count) {
  constexpr std::size_t kTokens = 6, kVectors = 64 / kWide > 4 ? 2 : 4, kExperts = kVectors * kWide;
  const std::size_t tokens = x.size[0], width = x.size[1], experts = w.size[0];
  const std::size_t blocks = (experts + kExperts - 1) / kExperts, padded = blocks * kExperts;
  const std::unique_ptr<float[]> turned(new float[width * padded]); // kExperts of each dimension
  std::vector<unsigned> counts(omp_get_max_threads() * experts);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t d = 0; d < width; ++d)
        for (std::size_t e = 0; e < kExperts; ++e)
          turned[(b * width + d) * kExperts + e] =
              b * kExperts + e < experts ? w.data[(b * kExperts + e) * width + d] : 0;
    std::vector<float> memory(kTokens * padded);
    unsigned *own = counts.data() + omp_get_thread_num() * experts;
    const Share share(tokens);
    for (std::size_t first = share.begin; first < share.end; first += kTokens) {
      const float *rows[kTokens];
      for (std::size_t t = 0; t < kTokens; ++t) rows[t] = x.data + std::min(first + t, tokens - 1) * width;
      for (std::size_t b = 0; b < blocks; ++b) {
        Vector sum[kTokens][kVectors] = {};
        const float *from = turned.get() + b * width * kExperts;
        for (std::size_t d = 0; d < width; ++d, from += kExperts) {
          Vector weight[kVectors];
#pragma GCC unroll 4
          for (std::size_t v = 0; v < kVectors; ++v) weight[v] = vector(from + v * kWide);
#pragma GCC unroll 6
          for (std::size_t t = 0; t < kTokens; ++t)
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors; ++v) sum[t][v] += rows[t][d] * weight[v];
        }
        for (std::size_t t = 0; t < kTokens; ++t)
          for (std::size_t v = 0; v < kVectors; ++v)
            vector(memory.data() + t * padded + b * kExperts + v * kWide) = sum[t][v];
      }
      for (std::size_t t = 0; t < std::min(kTokens, share.end - first); ++t) {
        const float *logit = memory.data() + t * padded;
        float most = logit[0], sum = 0;
#pragma omp simd reduction(max : most)
        for (std::size_t e = 0; e < experts; ++e) most = std::max(most, logit[e]);
#pragma omp simd reduction(+ : sum)
        for (std::size_t e = 0; e < experts; ++e) sum += std::exp(logit[e] - most);
        const auto best = static_cast<unsigned>(std::find(logit, logit + experts, most) - logit);
        expert.data[first + t] = best;
        gate.data[first + t] = 1 / sum;
        ++own[best];
      }
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (std::size_t e = 0; e < experts; ++e) { // how many there are before each thread's
      unsigned before = 0;
      for (int t = 0; t < omp_get_num_threads(); ++t) {
        const unsigned one = counts[t * experts + e];
        counts[t * experts + e] = before;
        before += one;
      }
      count.data[e] = before;
    }
    for (std::size_t t = share.begin; t < share.end; ++t) slot.data[t] = own[expert.data[t]]++;
  }
}

// ---- instancenormgrad: a channel of a picture stays in the second cache

void instancenormgrad(float epsilon, In<float, 4> x, In<float, 1> gain, In<float, 4> dy, Out<float, 4> dx,
                      Out<float, 1> dgain, Out<float, 1> dbias) {
  const std::size_t pictures = x.size[0], channels = x.size[1], points = x.size[2] * x.size[3];
  std::fill(dgain.data, dgain.data + channels, 0.0f);
  std::fill(dbias.data, dbias.data + channels, 0.0f);
  if (points == 0) return;
  const float share = 1 / static_cast<float>(points);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t n = 0; n < pictures; ++n)
    for (std::size_t c = 0; c < channels; ++c) {
      const float *a = x.data + (n * channels + c) * points, *b = dy.data + (n * channels + c) * points;
      float *to = dx.data + (n * channels + c) * points;
      float sum = 0, added = 0, squares = 0, product = 0;
#pragma omp simd reduction(+ : sum, added)
      for (std::size_t i = 0; i < points; ++i) {
        sum += a[i];
        added += b[i];
      }
      const float mean = sum * share;
#pragma omp simd reduction(+ : squares, product)
      for (std::size_t i = 0; i < points; ++i) {
        const float own = a[i] - mean;
        squares += own * own;
        product += b[i] * own;
      }
      const float inverse = 1 / std::sqrt(squares * share + epsilon), all = product * inverse;
      const float by = gain.data[c] * inverse, less = added * share, along = inverse * all * share;
#pragma omp simd
      for (std::size_t i = 0; i < points; ++i) to[i] = by * (b[i] - less - along * (a[i] - mean));
#pragma omp atomic
      dgain.data[c] += all;
#pragma omp atomic
      dbias.data[c] += added;
    }
}

// ---- gru: eight examples and a vector of each gate in registers; weights in the order in which they are asked for.
// Examples have nothing to do with each other: where there are enough, a thread takes its own through all steps.

constexpr std::size_t kExamples = 8;

/// Of a step, kExamples examples and the vector of numbers number `block`.
void gruStep(In<float, 3> in, const float *packed, const float *state, float *out, std::size_t t, std::size_t first,
             std::size_t block) {
  const std::size_t batch = in.size[1], hidden = in.size[2] / 3;
  const float *rows[kExamples], *from = packed + block * hidden * 3 * kWide;
  for (std::size_t b = 0; b < kExamples; ++b) rows[b] = state + std::min(first + b, batch - 1) * hidden;
  Vector sum[kExamples][3] = {};
  for (std::size_t k = 0; k < hidden; ++k, from += 3 * kWide) {
    const Vector w0 = vector(from), w1 = vector(from + kWide), w2 = vector(from + 2 * kWide);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kExamples; ++b) {
      const float own = rows[b][k];
      sum[b][0] += own * w0;
      sum[b][1] += own * w1;
      sum[b][2] += own * w2;
    }
  }
  const std::size_t left = block * kWide, there = std::min(kWide, hidden - left);
  float sums[kExamples][3][kWide];
#pragma GCC unroll 8
  for (std::size_t b = 0; b < kExamples; ++b)
#pragma GCC unroll 3
    for (std::size_t g = 0; g < 3; ++g) vector(sums[b][g]) = sum[b][g];
  for (std::size_t b = 0; b < std::min(kExamples, batch - first); ++b) {
    const float *given = in.data + (t * batch + first + b) * 3 * hidden + left, *own = rows[b] + left;
    float *to = out + (t * batch + first + b) * hidden + left;
#pragma omp simd
    for (std::size_t l = 0; l < there; ++l) {
      const float reset = 1 / (1 + std::exp(-given[l] - sums[b][0][l]));
      const float keep = 1 / (1 + std::exp(-given[hidden + l] - sums[b][1][l]));
      const float fresh = 1 - 2 / (1 + std::exp(2 * (given[2 * hidden + l] + reset * sums[b][2][l])));
      to[l] = fresh + keep * (own[l] - fresh);
    }
  }
}

void gru(In<float, 3> in, In<float, 2> u, Out<float, 2> h, Out<float, 3> out) {
  const std::size_t steps = in.size[0], batch = h.size[0], hidden = h.size[1];
  if (steps == 0 || batch == 0 || hidden == 0) return;
  const std::size_t blocks = (hidden + kWide - 1) / kWide, groups = (batch + kExamples - 1) / kExamples;
  const std::unique_ptr<float[]> packed(new float[blocks * hidden * 3 * kWide]);
  const auto state = [&](std::size_t t) { return t == 0 ? h.data : out.data + (t - 1) * batch * hidden; };
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t k = 0; k < hidden; ++k)
        for (std::size_t g = 0; g < 3; ++g)
          for (std::size_t l = 0; l < kWide; ++l) {
            const std::size_t j = block * kWide + l;
            packed[((block * hidden + k) * 3 + g) * kWide + l] = j < hidden ? u.data[(k * 3 + g) * hidden + j] : 0;
          }
    if (groups >= static_cast<std::size_t>(omp_get_num_threads())) {
      const Share share(groups);
      for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t block = 0; block < blocks; ++block)
          for (std::size_t group = share.begin; group < share.end; ++group)
            gruStep(in, packed.get(), state(t), out.data, t, group * kExamples, block);
    } else {
      for (std::size_t t = 0; t < steps; ++t)
#pragma omp for collapse(2) schedule(static)
        for (std::size_t block = 0; block < blocks; ++block)
          for (std::size_t group = 0; group < groups; ++group)
            gruStep(in, packed.get(), state(t), out.data, t, group * kExamples, block);
    }
  }
  std::memcpy(h.data, out.data + (steps - 1) * batch * hidden, batch * hidden * sizeof(float));
}

// ---- bicubic: rows are interpolated along themselves once, by shuffles where what a vector needs is in a vector, and
// kept as long as one of the four rows around a place is such a one

inline float cubic(float x) {
  x = std::abs(x);
  if (x < 1) return (1.5f * x - 2.5f) * x * x + 1;
  if (x < 2) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return 0;
}

void bicubic(In<float, 2> in, Out<float, 2> out) {
  const int rows = static_cast<int>(in.size[0]), columns = static_cast<int>(in.size[1]);
  const std::size_t outRows = out.size[0], outColumns = out.size[1], blocks = (outColumns + kWide - 1) / kWide;
  const float down = static_cast<float>(rows) / static_cast<float>(outRows);
  const float across = static_cast<float>(columns) / static_cast<float>(outColumns);
  const auto place = [](std::size_t i, float by) { return (static_cast<float>(i) + 0.5f) * by - 0.5f; };
  // Of each column of the result where its first point is in a row with two points more in front, and four weights.
  std::vector<int> first(blocks * kWide);
  std::vector<float> weights(4 * blocks * kWide);
  for (std::size_t j = 0; j < blocks * kWide; ++j) {
    const float x = place(std::min(j, outColumns - 1), across), left = std::floor(x);
    first[j] = static_cast<int>(left) + 1;
    for (std::size_t c = 0; c < 4; ++c) weights[c * blocks * kWide + j] = cubic(x - (left + static_cast<float>(c) - 1));
  }
#pragma omp parallel
  {
    std::vector<float> line(columns + 4 + kWide), memory(4 * blocks * kWide);
    float *lines[4];
    for (std::size_t r = 0; r < 4; ++r) lines[r] = memory.data() + r * blocks * kWide;
    const auto interpolate = [&](int row, float *to) {
      const float *from = in.data + static_cast<std::size_t>(std::clamp(row, 0, rows - 1)) * columns;
      std::memcpy(line.data() + 2, from, columns * sizeof(float));
      line[0] = line[1] = from[0];
      line[columns + 2] = line[columns + 3] = from[columns - 1];
      for (std::size_t j = 0; j < blocks * kWide; j += kWide) {
        const int begin = first[j];
        Vector sum{};
        if (first[j + kWide - 1] + 4 - begin <= static_cast<int>(kWide)) {
          const Vector near = vector(line.data() + begin);
          const Counts at = counts(first.data() + j) - begin;
#pragma GCC unroll 4
          for (int c = 0; c < 4; ++c)
            sum += vector(weights.data() + c * blocks * kWide + j) * __builtin_shuffle(near, at + c);
        } else {
          for (std::size_t l = 0; l < kWide; ++l)
            for (std::size_t c = 0; c < 4; ++c) sum[l] += weights[c * blocks * kWide + j + l] * line[first[j + l] + c];
        }
        vector(to + j) = sum;
      }
    };
    const Share share(outRows);
    int have = std::numeric_limits<int>::min(); // the last of the four rows
    for (std::size_t i = share.begin; i < share.end; ++i) {
      const float y = place(i, down);
      const int top = static_cast<int>(std::floor(y));
      have = std::max(have, top - 2);
      while (have < top + 2) {
        std::rotate(lines, lines + 1, lines + 4);
        interpolate(++have, lines[3]);
      }
      float by[4], *to = out.data + i * outColumns;
      for (int r = 0; r < 4; ++r) by[r] = cubic(y - static_cast<float>(top + r - 1));
      const float *a = lines[0], *b = lines[1], *c = lines[2], *d = lines[3];
#pragma omp simd
      for (std::size_t j = 0; j < outColumns; ++j) to[j] = by[0] * a[j] + by[1] * b[j] + by[2] * c[j] + by[3] * d[j];
    }
  }
}

// ---- harris: strips of columns whose rows of products stay in the first cache, each added up along itself once. All
// sums are whole numbers, which float holds; they are scaled in the end.

void harris(float k, In<Byte, 2> in, Out<float, 2> out) {
  constexpr std::size_t kAcross = 512, kDown = 128;
  const std::size_t rows = in.size[0], columns = in.size[1];
  if (rows < 5 || columns < 5) {
    std::fill(out.data, out.data + rows * columns, 0.0f);
    return;
  }
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, rows - 2, rows - 1})
    std::fill(out.data + i * columns, out.data + (i + 1) * columns, 0.0f);
  const float scale = 1 / (1020.0f * 1020.0f);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t top = 2; top < rows - 2; top += kDown)
    for (std::size_t left = 2; left < columns - 2; left += kAcross) {
      const std::size_t bottom = std::min(top + kDown, rows - 2), many = std::min(kAcross, columns - 2 - left);
      float products[3][kAcross + 2], sums[3][3][kAcross]; // of rows, of xx, xy and yy
      for (std::size_t i = top - 1; i <= bottom; ++i) {
        // The first of these is one in front of `left`.
        const Byte *up = in.data + (i - 1) * columns + left - 1, *here = up + columns, *below = here + columns;
        float *xx = products[0], *xy = products[1], *yy = products[2];
#pragma omp simd
        for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(many + 2); ++j) {
          const int gx = up[j + 1] + 2 * here[j + 1] + below[j + 1] - up[j - 1] - 2 * here[j - 1] - below[j - 1];
          const int gy = below[j - 1] + 2 * below[j] + below[j + 1] - up[j - 1] - 2 * up[j] - up[j + 1];
          const auto x = static_cast<float>(gx), y = static_cast<float>(gy);
          xx[j] = x * x;
          xy[j] = x * y;
          yy[j] = y * y;
        }
        for (std::size_t c = 0; c < 3; ++c) {
          const float *from = products[c];
          float *to = sums[i % 3][c];
#pragma omp simd
          for (std::size_t j = 0; j < many; ++j) to[j] = from[j] + from[j + 1] + from[j + 2];
        }
        if (i < top + 1) continue;
        const auto &a = sums[0], &b = sums[1], &c = sums[2];
        float *to = out.data + (i - 1) * columns + left;
#pragma omp simd
        for (std::size_t j = 0; j < many; ++j) {
          const float sx = (a[0][j] + b[0][j] + c[0][j]) * scale, sxy = (a[1][j] + b[1][j] + c[1][j]) * scale;
          const float sy = (a[2][j] + b[2][j] + c[2][j]) * scale;
          to[j] = sx * sy - sxy * sxy - k * (sx + sy) * (sx + sy);
        }
      }
    }
  for (std::size_t i = 2; i < rows - 2; ++i) {
    float *row = out.data + i * columns;
    row[0] = row[1] = row[columns - 2] = row[columns - 1] = 0;
  }
}

// ---- euler2d: strips of columns, of which two rows of cells and what flows between them stay in the first cache; each
// flux is computed once

struct Fields {
  double *of[4]; // density, momentum across and down, energy
};

constexpr std::size_t kStrip = 96;

/// A row of cells of a strip, one more at each side.
struct Cells {
  double density[kStrip + 2], across[kStrip + 2], down[kStrip + 2], energy[kStrip + 2];
  double u[kStrip + 2], v[kStrip + 2], pressure[kStrip + 2], sound[kStrip + 2];

  void load(const Fields &from, std::size_t row, std::size_t left, std::size_t many, std::size_t columns) {
    double *to[4] = {density, across, down, energy};
    for (std::size_t f = 0; f < 4; ++f) {
      const double *own = from.of[f] + row * columns + left;
      std::memcpy(to[f] + 1, own, many * sizeof(double));
      to[f][0] = own[left > 0 ? -1 : 0];
      to[f][many + 1] = own[left + many < columns ? many : many - 1];
    }
#pragma omp simd
    for (std::size_t j = 0; j < many + 2; ++j) {
      const double inverse = 1 / density[j];
      u[j] = across[j] * inverse;
      v[j] = down[j] * inverse;
      pressure[j] = 0.4 * (energy[j] - 0.5 * (across[j] * u[j] + down[j] * v[j]));
      sound[j] = std::sqrt(1.4 * pressure[j] * inverse);
    }
  }
};
struct Fluxes {
  double density[kStrip + 1], across[kStrip + 1], down[kStrip + 1], energy[kStrip + 1];
};

void flowAcross(const Cells &c, std::size_t many, Fluxes &to) {
#pragma omp simd
  for (std::size_t j = 0; j < many + 1; ++j) {
    const std::size_t e = j + 1;
    const double speed = std::max(std::abs(c.u[j]) + c.sound[j], std::abs(c.u[e]) + c.sound[e]);
    to.density[j] = 0.5 * (c.across[j] + c.across[e] - speed * (c.density[e] - c.density[j]));
    to.across[j] = 0.5 * (c.across[j] * c.u[j] + c.pressure[j] + c.across[e] * c.u[e] + c.pressure[e] -
                          speed * (c.across[e] - c.across[j]));
    to.down[j] = 0.5 * (c.down[j] * c.u[j] + c.down[e] * c.u[e] - speed * (c.down[e] - c.down[j]));
    to.energy[j] = 0.5 * ((c.energy[j] + c.pressure[j]) * c.u[j] + (c.energy[e] + c.pressure[e]) * c.u[e] -
                          speed * (c.energy[e] - c.energy[j]));
  }
}

void flowDown(const Cells &a, const Cells &b, std::size_t many, Fluxes &to) {
#pragma omp simd
  for (std::size_t j = 0; j < many; ++j) {
    const std::size_t i = j + 1;
    const double speed = std::max(std::abs(a.v[i]) + a.sound[i], std::abs(b.v[i]) + b.sound[i]);
    to.density[j] = 0.5 * (a.down[i] + b.down[i] - speed * (b.density[i] - a.density[i]));
    to.across[j] = 0.5 * (a.across[i] * a.v[i] + b.across[i] * b.v[i] - speed * (b.across[i] - a.across[i]));
    to.down[j] = 0.5 * (a.down[i] * a.v[i] + a.pressure[i] + b.down[i] * b.v[i] + b.pressure[i] -
                        speed * (b.down[i] - a.down[i]));
    to.energy[j] = 0.5 * ((a.energy[i] + a.pressure[i]) * a.v[i] + (b.energy[i] + b.pressure[i]) * b.v[i] -
                          speed * (b.energy[i] - a.energy[i]));
  }
}

void euler2d(int steps, double ratio, Out<double, 2> density, Out<double, 2> across, Out<double, 2> down,
             Out<double, 2> energy) {
  constexpr std::size_t kDown = 64;
  const std::size_t rows = density.size[0], columns = density.size[1], all = rows * columns;
  if (all == 0) return;
  const std::unique_ptr<double[]> memory(new double[4 * all]);
  const Fields given{{density.data, across.data, down.data, energy.data}};
  const Fields other{{memory.get(), memory.get() + all, memory.get() + 2 * all, memory.get() + 3 * all}};
#pragma omp parallel
  for (int t = 0; t < steps; ++t) {
    const Fields &now = t % 2 == 0 ? given : other, &next = t % 2 == 0 ? other : given;
#pragma omp for collapse(2) schedule(static)
    for (std::size_t top = 0; top < rows; top += kDown)
      for (std::size_t left = 0; left < columns; left += kStrip) {
        const std::size_t bottom = std::min(top + kDown, rows), many = std::min(kStrip, columns - left);
        Cells cells[2];
        Fluxes flows[2], beside;
        cells[0].load(now, top > 0 ? top - 1 : 0, left, many, columns);
        Cells *here = cells, *below = cells + 1;
        Fluxes *in = flows, *out = flows + 1;
        below->load(now, top, left, many, columns);
        flowDown(*here, *below, many, *in);
        for (std::size_t i = top; i < bottom; ++i) {
          std::swap(here, below);
          below->load(now, std::min(i + 1, rows - 1), left, many, columns);
          flowAcross(*here, many, beside);
          flowDown(*here, *below, many, *out);
          const double *cell[4] = {here->density, here->across, here->down, here->energy};
          const double *sides[4] = {beside.density, beside.across, beside.down, beside.energy};
          const double *above[4] = {in->density, in->across, in->down, in->energy};
          const double *under[4] = {out->density, out->across, out->down, out->energy};
          for (std::size_t f = 0; f < 4; ++f) {
            double *to = next.of[f] + i * columns + left;
            const double *own = cell[f] + 1, *side = sides[f], *a = above[f], *b = under[f];
#pragma omp simd
            for (std::size_t j = 0; j < many; ++j) to[j] = own[j] - ratio * (side[j + 1] - side[j] + b[j] - a[j]);
          }
          std::swap(in, out);
        }
      }
  }
  if (steps % 2 == 1)
    for (std::size_t f = 0; f < 4; ++f) std::memcpy(given.of[f], other.of[f], all * sizeof(double));
}

// ---- twogrid: residuals are added up to the coarse grid row by row, and never stored; the first sweep, from zero, is
// a product

struct Grid {
  std::size_t planes, rows, columns;
  std::size_t at(std::size_t i, std::size_t j) const { return (i * rows + j) * columns; }
};

/// Of a plane of residuals, what it gives to each coarse point of a plane, but for how far that one is.
void weigh(const Grid &fine, const Grid &coarse, const float *f, const float *u, std::size_t i, float *residual,
           float *lines, float *to) {
  const std::size_t n = fine.columns, plane = fine.rows * n;
  const auto row = [&](std::size_t j) {
    const float *own = u + fine.at(i, j), *given = f + fine.at(i, j);
    float *result = residual + j % 3 * n;
#pragma omp simd
    for (std::ptrdiff_t k = 1; k < static_cast<std::ptrdiff_t>(n) - 1; ++k)
      result[k] = given[k] - (6 * own[k] - own[k - static_cast<std::ptrdiff_t>(plane)] -
                              own[k + static_cast<std::ptrdiff_t>(plane)] - own[k - static_cast<std::ptrdiff_t>(n)] -
                              own[k + static_cast<std::ptrdiff_t>(n)] - own[k - 1] - own[k + 1]);
    return result;
  };
  const float *above = row(1);
  for (std::size_t j = 1; j < coarse.rows - 1; ++j) {
    const float *here = row(2 * j), *below = row(2 * j + 1);
#pragma omp simd
    for (std::size_t k = 1; k < n - 1; ++k) lines[k] = above[k] + 2 * here[k] + below[k];
    float *result = to + j * coarse.columns;
#pragma omp simd
    for (std::size_t k = 1; k < coarse.columns - 1; ++k)
      result[k] = lines[2 * k - 1] + 2 * lines[2 * k] + lines[2 * k + 1];
    above = below;
  }
}

void twogrid(int sweeps, float omega, In<float, 3> f, Out<float, 3> u) {
  const Grid fine{u.size[0], u.size[1], u.size[2]};
  const Grid coarse{(fine.planes + 1) / 2, (fine.rows + 1) / 2, (fine.columns + 1) / 2};
  if (sweeps <= 0 || coarse.planes < 3 || coarse.rows < 3 || coarse.columns < 3) return; // nothing is corrected
  const std::size_t m = coarse.columns, plane = coarse.rows * m, all = coarse.planes * plane;
  const std::unique_ptr<float[]> right(new float[all]);
  std::vector<float> first(all), second(all); // borders are zero
#pragma omp parallel
  {
    std::vector<float> residual(3 * fine.columns), lines(fine.columns), parts(3 * plane);
    float *upper = parts.data(), *middle = upper + plane, *lower = middle + plane;
    const Share share(coarse.planes - 2);
    const auto planeOf = [&](std::size_t i, float *to) {
      weigh(fine, coarse, f.data, u.data, i, residual.data(), lines.data(), to);
    };
    if (share.begin < share.end) planeOf(2 * share.begin + 1, upper);
    for (std::size_t i = share.begin + 1; i < share.end + 1; ++i) {
      planeOf(2 * i, middle);
      planeOf(2 * i + 1, lower);
      for (std::size_t j = 1; j < coarse.rows - 1; ++j)
#pragma omp simd
        for (std::size_t k = 1; k < m - 1; ++k) {
          const float own = (upper[j * m + k] + 2 * middle[j * m + k] + lower[j * m + k]) / 64;
          right[i * plane + j * m + k] = own;
          first[i * plane + j * m + k] = omega / 6 * 4 * own;
        }
      std::swap(upper, lower);
    }
#pragma omp barrier
    float *now = first.data(), *next = second.data();
    for (int s = 1; s < sweeps; ++s) {
#pragma omp for schedule(static)
      for (std::size_t i = 1; i < coarse.planes - 1; ++i)
        for (std::size_t j = 1; j < coarse.rows - 1; ++j) {
          const float *e = now + coarse.at(i, j), *given = right.get() + coarse.at(i, j);
          const float *above = e - plane, *below = e + plane, *north = e - m, *south = e + m;
          float *to = next + coarse.at(i, j);
#pragma omp simd
          for (std::size_t k = 1; k < m - 1; ++k)
            to[k] = (1 - omega) * e[k] +
                    omega / 6 * (4 * given[k] + above[k] + below[k] + north[k] + south[k] + e[k - 1] + e[k + 1]);
        }
      std::swap(now, next);
    }
#pragma omp for schedule(static)
    for (std::size_t i = 1; i < fine.planes - 1; ++i)
      for (std::size_t j = 1; j < fine.rows - 1; ++j) {
        const float *a = now + coarse.at(i / 2, j / 2), *b = now + coarse.at(i / 2, (j + 1) / 2);
        const float *c = now + coarse.at((i + 1) / 2, j / 2), *d = now + coarse.at((i + 1) / 2, (j + 1) / 2);
        float *sums = lines.data(), *added = residual.data(), *to = u.data + fine.at(i, j);
#pragma omp simd
        for (std::size_t k = 0; k < m; ++k) sums[k] = 0.125f * (a[k] + b[k] + c[k] + d[k]);
#pragma omp simd
        for (std::size_t k = 0; k < m - 1; ++k) {
          added[2 * k] = 2 * sums[k];
          added[2 * k + 1] = sums[k] + sums[k + 1];
        }
        if (fine.columns % 2 == 0) added[fine.columns - 2] = 2 * sums[m - 1];
#pragma omp simd
        for (std::size_t k = 1; k < fine.columns - 1; ++k) to[k] += added[k];
      }
  }
}

// ---- base64: 48 bytes at a time, by the instructions that move bytes and pieces of words; else pairs of letters by 12
// bits

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void letters(const Byte *in, std::size_t begin, std::size_t end, std::size_t n, Byte *out) { // threes
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t there = std::min<std::size_t>(3, n - 3 * i);
    const unsigned bits =
        static_cast<unsigned>(in[3 * i] << 16 | (there > 1 ? in[3 * i + 1] << 8 : 0) | (there > 2 ? in[3 * i + 2] : 0));
    Byte *to = out + 4 * i;
    to[0] = kDigits[bits >> 18], to[1] = kDigits[bits >> 12 & 63];
    to[2] = there > 1 ? kDigits[bits >> 6 & 63] : '=';
    to[3] = there > 2 ? kDigits[bits & 63] : '=';
  }
}

void base64(In<Byte, 1> in, Out<Byte, 1> out) {
  const std::size_t n = in.size[0], threes = (n + 2) / 3;
  std::size_t done = 0;
#ifdef __AVX512VBMI__
  const std::size_t blocks = n < 64 ? 0 : (n - 64) / 48 + 1; // each reads 64 bytes
  done = blocks * 16;
  alignas(64) Byte from[64];
  for (unsigned q = 0; q < 16; ++q) {
    const unsigned at[4] = {3 * q + 1, 3 * q, 3 * q + 2, 3 * q + 1};
    for (unsigned e = 0; e < 4; ++e) from[4 * q + e] = static_cast<Byte>(at[e]);
  }
  const __m512i order = _mm512_load_si512(from), shifts = _mm512_set1_epi64(0x3036242a1016040a);
  const __m512i digits = _mm512_loadu_si512(kDigits);
  const bool aligned = reinterpret_cast<std::uintptr_t>(out.data) % 64 == 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks; ++b) {
      const __m512i own = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(in.data + 48 * b));
      const __m512i text = _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, own), digits);
      if (aligned)
        _mm512_stream_si512(reinterpret_cast<__m512i *>(out.data + 64 * b), text);
      else
        _mm512_storeu_si512(out.data + 64 * b, text);
    }
    _mm_sfence();
  }
#else
  static const std::vector<std::uint16_t> pairs = [] {
    std::vector<std::uint16_t> result(4096);
    for (unsigned i = 0; i < 4096; ++i) result[i] = static_cast<std::uint16_t>(kDigits[i >> 6] | kDigits[i & 63] << 8);
    return result;
  }();
  done = n / 3;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < done; ++i) {
    const unsigned bits = static_cast<unsigned>(in.data[3 * i] << 16 | in.data[3 * i + 1] << 8 | in.data[3 * i + 2]);
    const std::uint16_t four[2] = {pairs[bits >> 12], pairs[bits & 4095]};
    std::memcpy(out.data + 4 * i, four, 4);
  }
#endif
  letters(in.data, done, threes, n, out.data);
}

// ---- viterbi: a frame for each of a vector's numbers of 16 bits. Costs are kept small by that of a state; what is
// chosen is a bit a frame.

constexpr std::size_t kFrames = 2 * kWide, kStates = 64;

/// Of each number its sign.
inline unsigned signs(const Shorts &x) {
#if defined(__AVX512BW__)
  return _mm512_movepi16_mask(reinterpret_cast<__m512i>(x));
#else
  unsigned result = 0;
  for (std::size_t l = 0; l < kFrames; ++l) result |= static_cast<unsigned>(x[l] < 0) << l;
  return result;
#endif
}

void viterbi(In<signed char, 3> in, Out<Byte, 2> out) {
  constexpr short kFar = 10000; // more than the costs of states may differ by
  constexpr std::size_t kSteps = 16;
  const std::size_t frames = out.size[0], bits = out.size[1], blocks = (frames + kFrames - 1) / kFrames;
  // Where the register is 2 l: which of a + b, a - b and their opposites both outputs cost.
  std::size_t kind[kStates / 2];
  for (unsigned l = 0; l < kStates / 2; ++l)
    kind[l] = static_cast<std::size_t>(__builtin_parity((2 * l) & 0171) * 2 + __builtin_parity((2 * l) & 0133));
#pragma omp parallel
  {
    std::vector<unsigned> choice(bits * kStates);
    std::vector<Byte> found(bits * kFrames);
#pragma omp for schedule(dynamic)
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t first = block * kFrames, there = std::min(kFrames, frames - first);
      Shorts costs[2][kStates], *cost = costs[0], *next = costs[1];
      std::fill(cost, cost + kStates, Shorts{} + kFar);
      cost[0] = Shorts{};
      for (std::size_t begin = 0; begin < bits; begin += kSteps) {
        const std::size_t steps = std::min(kSteps, bits - begin);
        alignas(64) short given[kSteps][kFrames];
        for (std::size_t l = 0; l < kFrames; ++l) {
          const signed char *from = in.data + ((first + std::min(l, there - 1)) * bits + begin) * 2;
          for (std::size_t t = 0; t < steps; ++t) std::memcpy(&given[t][l], from + 2 * t, 2);
        }
        for (std::size_t t = 0; t < steps; ++t) {
          const Shorts both = shorts(given[t]), a = (both << 8) >> 8, b = both >> 8;
          const Shorts metric[4] = {a + b, a - b, b - a, -a - b};
          unsigned *to = choice.data() + (begin + t) * kStates;
#pragma GCC unroll 4
          for (std::size_t l = 0; l < kStates / 2; ++l) {
            const Shorts low = cost[l], high = cost[l + kStates / 2], by = metric[kind[l]];
            const Shorts even0 = low + by, even1 = high - by, odd0 = low - by, odd1 = high + by;
            to[2 * l] = signs(even1 - even0);
            to[2 * l + 1] = signs(odd1 - odd0);
            next[2 * l] = even1 < even0 ? even1 : even0;
            next[2 * l + 1] = odd1 < odd0 ? odd1 : odd0;
          }
          std::swap(cost, next);
        }
        const Shorts less = cost[0];
        for (std::size_t s = 0; s < kStates; ++s) cost[s] -= less;
      }
      alignas(64) unsigned state[kFrames];
      for (std::size_t l = 0; l < kFrames; ++l) {
        state[l] = 0;
        for (unsigned s = 1; s < kStates; ++s)
          if (cost[s][l] < cost[state[l]][l]) state[l] = s;
      }
      for (std::size_t t = bits; t-- > 0;) {
        const unsigned *from = choice.data() + t * kStates;
        Byte *to = found.data() + t * kFrames;
#pragma omp simd
        for (std::size_t l = 0; l < kFrames; ++l) {
          to[l] = static_cast<Byte>(state[l] & 1);
          state[l] = state[l] >> 1 | (from[state[l]] >> l & 1) << 5;
        }
      }
      for (std::size_t t = 0; t < bits; t += kWide)
        for (std::size_t l = 0; l < there; ++l)
          for (std::size_t e = t; e < std::min(t + kWide, bits); ++e)
            out.data[(first + l) * bits + e] = found[e * kFrames + l];
    }
  }
}

// ---- components: in place, since labels only fall; a label's own label is asked, too. What has the least label that
// there is has nothing to ask.

void components(In<unsigned, 1> row, In<unsigned, 1> column, Out<unsigned, 1> label, Result<unsigned> result) {
  const std::size_t n = label.size[0];
  const auto of = [&](std::size_t v) { return __atomic_load_n(label.data + v, __ATOMIC_RELAXED); };
  unsigned own = 0;
  bool changed = true;
#pragma omp parallel for schedule(static)
  for (std::size_t v = 0; v < n; ++v) label.data[v] = static_cast<unsigned>(v);
  while (changed) {
    changed = false;
#pragma omp parallel for schedule(dynamic, 1024) reduction(|| : changed)
    for (std::size_t v = 0; v < n; ++v) {
      const unsigned now = of(v);
      if (now == 0) continue;
      unsigned least = of(now);
      for (unsigned k = row.data[v]; k < row.data[v + 1]; ++k) least = std::min(least, of(column.data[k]));
      if (least >= now) continue;
      __atomic_store_n(label.data + v, least, __ATOMIC_RELAXED);
      changed = true;
    }
  }
#pragma omp parallel for simd schedule(static) reduction(+ : own)
  for (std::size_t v = 0; v < n; ++v) own += label.data[v] == static_cast<unsigned>(v);
  *result.data = own;
}

// ---- ising: points of each color in an array of their own, where neighbours lie side by side

inline Words mix(Words x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

void ising(unsigned sweeps, unsigned seed, In<unsigned, 1> threshold, Out<Byte, 2> up, Result<std::int64_t> result) {
  const std::size_t rows = up.size[0], columns = up.size[1];
  const std::size_t pitch = (columns + 1) / 2 + 2 * kWide; // a vector more at each side
  std::vector<Byte> memory(2 * rows * pitch);
  // The row of points of which row and column add up to p, or p more than an even number; its first is column (i + p)
  // % 2.
  const auto lineOf = [&](std::size_t p, std::size_t i) { return memory.data() + (p * rows + i) * pitch + kWide; };
  Words limit{}, lane{};
  for (std::size_t a = 0; a < 5; ++a) limit[a] = threshold.data[a];
  for (unsigned l = 0; l < kWide; ++l) lane[l] = l;
  std::int64_t count = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) lineOf((i + j) % 2, i)[j / 2] = up.data[i * columns + j];
    for (unsigned t = 0; t < sweeps; ++t)
      for (unsigned color = 0; color < 2; ++color) {
        const unsigned key = mix(Words{} + (seed + 2 * t + color))[0];
        const std::size_t p = 1 - color;
#pragma omp for schedule(static)
        for (std::size_t i = 1; i < (rows > 2 ? rows - 1 : 1); ++i) {
          const std::size_t odd = (i + p) % 2, begin = 1 - odd, end = columns < 3 ? 0 : (columns - 2 - odd) / 2 + 1;
          Byte *own = lineOf(p, i);
          const Byte *above = lineOf(1 - p, i - 1), *below = lineOf(1 - p, i + 1), *side = lineOf(1 - p, i) + odd;
          for (std::size_t c = begin; c < end; c += kWide) {
            const Bytes here = bytes(own + c);
            const Bytes sum = bytes(above + c) + bytes(below + c) + bytes(side + c - 1) + bytes(side + c);
            const Bytes alike = here != 0 ? sum : 4 - sum;
            const Words at = static_cast<unsigned>(i * columns + odd + 2 * c) + 2 * lane;
            const Words chance = __builtin_shuffle(limit, widened(alike));
            const auto turns = reinterpret_cast<Words>((mix(key ^ at) < chance) &
                                                       (lane < static_cast<unsigned>(std::min(end - c, kWide))));
            bytes(own + c) = here ^ narrowed(turns & 1u);
          }
        }
      }
#pragma omp for schedule(static) reduction(+ : count)
    for (std::size_t i = 0; i < rows; ++i) {
      std::int64_t ones = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const Byte one = lineOf((i + j) % 2, i)[j / 2];
        up.data[i * columns + j] = one;
        ones += one != 0;
      }
      count += ones;
    }
  }
  *result.data = 2 * count - static_cast<std::int64_t>(rows * columns);
}

// ---- spdsolve: as many matrices as a vector has lanes, each element a vector; they are turned on their way in and out

void spdsolve(float shift, Out<float, 3> a, Out<float, 2> b) {
  const std::size_t all = a.size[0], n = a.size[1], blocks = (all + kWide - 1) / kWide;
  /// Of kWide rows of `count` numbers, each number a vector, or back.
  const auto turn = [&](float *rows, std::size_t pitch, std::size_t there, std::size_t count, Vector *to, bool back) {
    std::size_t e = 0;
    for (; e + kWide <= count; e += kWide) {
      Vector x[kWide];
#pragma GCC unroll 16
      for (std::size_t l = 0; l < kWide; ++l)
        x[l] = back ? to[e + l] : vector(rows + std::min(l, there - 1) * pitch + e);
      transpose(x);
      for (std::size_t l = 0; l < (back ? there : kWide); ++l) (back ? vector(rows + l * pitch + e) : to[e + l]) = x[l];
    }
    for (; e < count; ++e)
      for (std::size_t l = 0; l < kWide; ++l) {
        if (!back)
          to[e][l] = rows[std::min(l, there - 1) * pitch + e];
        else if (l < there)
          rows[l * pitch + e] = to[e][l];
      }
  };
#pragma omp parallel
  {
    std::vector<float> memory((n * n + n) * kWide);
    Vector *m = reinterpret_cast<Vector *>(memory.data()), *x = m + n * n;
#pragma omp for schedule(static)
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t first = block * kWide, there = std::min(kWide, all - first);
      float *matrices = a.data + first * n * n, *sides = b.data + first * n;
      turn(matrices, n * n, there, n * n, m, false);
      turn(sides, n, there, n, x, false);
      for (std::size_t j = 0; j < n; ++j) {
        const Vector *row = m + j * n;
        Vector pivot = row[j] + shift, inverse;
        for (std::size_t k = 0; k < j; ++k) pivot -= row[k] * row[k];
        for (std::size_t l = 0; l < kWide; ++l) pivot[l] = std::sqrt(pivot[l]);
        inverse = 1 / pivot;
        m[j * n + j] = pivot;
        std::size_t i = j + 1;
        for (; i + 4 <= n; i += 4) {
          Vector *r0 = m + i * n, *r1 = r0 + n, *r2 = r1 + n, *r3 = r2 + n;
          Vector s0 = r0[j], s1 = r1[j], s2 = r2[j], s3 = r3[j];
          for (std::size_t k = 0; k < j; ++k) {
            const Vector own = row[k];
            s0 -= r0[k] * own, s1 -= r1[k] * own, s2 -= r2[k] * own, s3 -= r3[k] * own;
          }
          r0[j] = s0 * inverse, r1[j] = s1 * inverse, r2[j] = s2 * inverse, r3[j] = s3 * inverse;
        }
        for (; i < n; ++i) {
          Vector sum = m[i * n + j];
          for (std::size_t k = 0; k < j; ++k) sum -= m[i * n + k] * row[k];
          m[i * n + j] = sum * inverse;
        }
        Vector right = x[j];
        for (std::size_t k = 0; k < j; ++k) right -= row[k] * x[k];
        x[j] = right * inverse;
      }
      for (std::size_t k = n; k-- > 0;) {
        const Vector *row = m + k * n, own = x[k] / row[k];
        x[k] = own;
        for (std::size_t i = 0; i < k; ++i) x[i] -= row[i] * own;
      }
      turn(matrices, n * n, there, n * n, m, true);
      turn(sides, n, there, n, x, true);
    }
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;
const Peer<prefill> prefillPeer("prefill", "openmp", {"q", "k", "v", "o"});
const Peer<w4matmul> w4matmulPeer("w4matmul", "openmp", {"x", "packed", "scale", "y"});
const Peer<moegate> moegatePeer("moegate", "openmp", {"x", "w", "expert", "gate", "slot", "count"});
const Peer<instancenormgrad> instancenormgradPeer("instancenormgrad", "openmp",
                                                  {"epsilon", "x", "gain", "dy", "dx", "dgain", "dbias"});
const Peer<gru> gruPeer("gru", "openmp", {"in", "u", "h", "out"});
const Peer<bicubic> bicubicPeer("bicubic", "openmp", {"in", "out"});
const Peer<harris> harrisPeer("harris", "openmp", {"k", "in", "out"});
const Peer<euler2d> euler2dPeer("euler2d", "openmp", {"steps", "ratio", "density", "across", "down", "energy"});
const Peer<twogrid> twogridPeer("twogrid", "openmp", {"sweeps", "omega", "f", "u"});
const Peer<base64> base64Peer("base64", "openmp", {"in", "out"});
const Peer<viterbi> viterbiPeer("viterbi", "openmp", {"in", "out"});
const Peer<components> componentsPeer("components", "openmp", {"row", "column", "label", "result"});
const Peer<ising> isingPeer("ising", "openmp", {"sweeps", "seed", "threshold", "up", "result"});
const Peer<spdsolve> spdsolvePeer("spdsolve", "openmp", {"shift", "a", "b"});

} // namespace

BENCH_PEERS(&prefillPeer.kernel, &w4matmulPeer.kernel, &moegatePeer.kernel, &instancenormgradPeer.kernel,
            &gruPeer.kernel, &bicubicPeer.kernel, &harrisPeer.kernel, &euler2dPeer.kernel, &twogridPeer.kernel,
            &base64Peer.kernel, &viterbiPeer.kernel, &componentsPeer.kernel, &isingPeer.kernel, &spdsolvePeer.kernel)
