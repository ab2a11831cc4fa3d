// The programs of apps/held-out-4 as one would write them for a CPU: OpenMP, blocked for caches and registers. Compiled
// with -ffast-math, by which GCC has functions of vectors.
#include "peer_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <omp.h>
#include <vector>

namespace {

using namespace careful;
using Signed = signed char;

// ---- logsumexp: threads have rows, in one pass: of some rows of a strip of columns the greatest are found, what was
// added up is scaled to them, and these rows, which are in the cache, are added; threads' sums are put together.

void logsumexp(In<float, 2> in, Out<float, 1> out) {
  constexpr std::size_t kStrip = 512, kDeep = 16;
  const std::size_t rows = in.size[0], columns = in.size[1];
  std::vector<float> most, sums; // of each thread
  std::size_t threads = 1;
#pragma omp parallel
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      most.assign(threads * columns, std::numeric_limits<float>::lowest());
      sums.assign(threads * columns, 0);
    }
    const std::size_t own = omp_get_thread_num();
    const std::size_t begin = rows * own / threads, end = rows * (own + 1) / threads;
    for (std::size_t left = 0; left < columns; left += kStrip) {
      const std::size_t wide = std::min(kStrip, columns - left);
      float *m = most.data() + own * columns + left, *sum = sums.data() + own * columns + left;
      float now[kStrip];
      for (std::size_t first = begin; first < end; first += kDeep) {
        const std::size_t last = std::min(first + kDeep, end);
        std::copy_n(m, wide, now);
        for (std::size_t i = first; i < last; ++i) {
          const float *from = in.data + i * columns + left;
#pragma omp simd
          for (std::size_t j = 0; j < wide; ++j) now[j] = std::max(now[j], from[j]);
        }
#pragma omp simd
        for (std::size_t j = 0; j < wide; ++j) {
          sum[j] *= std::exp(m[j] - now[j]);
          m[j] = now[j];
        }
        for (std::size_t i = first; i < last; ++i) {
          const float *from = in.data + i * columns + left;
#pragma omp simd
          for (std::size_t j = 0; j < wide; ++j) sum[j] += std::exp(from[j] - now[j]);
        }
      }
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < columns; ++j) {
      float all = most[j], sum = 0;
      for (std::size_t t = 1; t < threads; ++t) all = std::max(all, most[t * columns + j]);
      for (std::size_t t = 0; t < threads; ++t) sum += sums[t * columns + j] * std::exp(most[t * columns + j] - all);
      out.data[j] = all + std::log(sum);
    }
  }
}

// ---- ema: a scan of each vector of a row, by powers of what is kept; what the last one was worth comes in behind it,
// so that only one product and one sum of a vector wait for each other.

/// Element l is x[l - by], or zero.
template <int by> Vector later(Vector x) {
  using Index = std::int32_t __attribute__((vector_size(kWide * sizeof(float))));
  Index index;
  for (int l = 0; l < int(kWide); ++l) index[l] = l >= by ? l - by : int(kWide);
  return __builtin_shuffle(x, Vector{}, index);
}

void ema(float alpha, In<float, 2> in, Out<float, 2> out) {
  const std::size_t rows = in.size[0], n = in.size[1];
  const float keep = 1 - alpha;
  const float keep2 = keep * keep, keep4 = keep2 * keep2, keep8 = keep4 * keep4;
  Vector powers;
  for (std::size_t l = 0; l < kWide; ++l) powers[l] = l > 0 ? powers[l - 1] * keep : keep;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    const float *from = in.data + i * n;
    float *to = out.data + i * n;
    float last = from[0]; // of which the first element makes itself
    std::size_t t = 0;
    for (; t + kWide <= n; t += kWide) {
      Vector x = alpha * vector(from + t);
      x += keep * later<1>(x);
      x += keep2 * later<2>(x);
      x += keep4 * later<4>(x);
      if constexpr (kWide > 8) x += keep8 * later<8>(x);
      x += powers * last;
      vector(to + t) = x;
      last = x[kWide - 1];
    }
    for (; t < n; ++t) to[t] = last = alpha * from[t] + keep * last;
  }
}

// ---- topk: vectors of a row are compared with the worst of the best; where none is better, which is nearly always so,
// nothing else is done.

void topk(In<float, 2> distance, Out<float, 2> value, Out<unsigned, 2> index) {
  constexpr std::size_t kBest = 8, kBlock = 32;
  const std::size_t rows = distance.size[0], n = distance.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    const float *from = distance.data + i * n;
    float *best = value.data + i * kBest;
    unsigned *where = index.data + i * kBest;
    std::fill_n(best, kBest, std::numeric_limits<float>::max());
    std::fill_n(where, kBest, 0u);
    const auto offer = [=](std::size_t j) {
      const float d = from[j];
      if (d >= best[kBest - 1]) return;
      std::size_t k = kBest - 1;
      for (; k > 0 && d < best[k - 1]; --k) {
        best[k] = best[k - 1];
        where[k] = where[k - 1];
      }
      best[k] = d;
      where[k] = static_cast<unsigned>(j);
    };
    std::size_t j = 0;
    for (; j + kBlock <= n; j += kBlock) {
      const float worst = best[kBest - 1];
      unsigned better = 0; // a bit each
#pragma omp simd reduction(| : better)
      for (std::size_t l = 0; l < kBlock; ++l) better |= static_cast<unsigned>(from[j + l] < worst) << l;
      for (; better != 0; better &= better - 1) offer(j + static_cast<std::size_t>(__builtin_ctz(better)));
    }
    for (; j < n; ++j) offer(j);
  }
}

// ---- rotate: squares of 64 x 64 points, which come from a part of the picture that fits the cache. A run of a row
// comes from a line: where both its ends are inside, all of it is.

void rotate(float cosine, float sine, In<float, 2> in, Out<float, 2> out) {
  constexpr int kTile = 64, kRun = 16;
  const int height = static_cast<int>(in.size[0]), width = static_cast<int>(in.size[1]);
  const float middleX = 0.5f * static_cast<float>(width - 1), middleY = 0.5f * static_cast<float>(height - 1);
  const float *data = in.data;
  const auto guarded = [=](float fromX, float fromY) {
    const int left = static_cast<int>(std::floor(fromX)), top = static_cast<int>(std::floor(fromY));
    const float right = fromX - static_cast<float>(left), down = fromY - static_cast<float>(top);
    float sum = 0;
    for (int r = 0; r < 2; ++r)
      for (int s = 0; s < 2; ++s)
        if (top + r >= 0 && top + r < height && left + s >= 0 && left + s < width)
          sum += (r == 1 ? down : 1 - down) * (s == 1 ? right : 1 - right) *
                 data[static_cast<std::size_t>(top + r) * width + left + s];
    return sum;
  };
  // With a point of room for roundings.
  const auto inside = [=](float fromX, float fromY) {
    return fromX >= 1 && fromY >= 1 && fromX < static_cast<float>(width - 2) && fromY < static_cast<float>(height - 2);
  };
  const auto outside = [=](float a, float b, int size) { // both ends on one side
    return std::max(a, b) < -2 || std::min(a, b) > static_cast<float>(size) + 1;
  };
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int tileY = 0; tileY < height; tileY += kTile)
    for (int tileX = 0; tileX < width; tileX += kTile)
      for (int y = tileY; y < std::min(tileY + kTile, height); ++y)
        for (int first = tileX; first < std::min(tileX + kTile, width); first += kRun) {
          float *to = out.data + static_cast<std::size_t>(y) * width;
          const float dy = static_cast<float>(y) - middleY;
          const auto atX = [=](int x) { return cosine * (static_cast<float>(x) - middleX) + sine * dy + middleX; };
          const auto atY = [=](int x) { return cosine * dy - sine * (static_cast<float>(x) - middleX) + middleY; };
          const int last = std::min(first + kRun, width);
          const float beginX = atX(first), beginY = atY(first), endX = atX(last - 1), endY = atY(last - 1);
          if (last == first + kRun && inside(beginX, beginY) && inside(endX, endY)) {
#pragma omp simd
            for (int l = 0; l < kRun; ++l) {
              const float dx = static_cast<float>(first + l) - middleX;
              const float fromX = cosine * dx + sine * dy + middleX, fromY = cosine * dy - sine * dx + middleY;
              const int left = static_cast<int>(fromX), top = static_cast<int>(fromY); // which are positive
              const float right = fromX - static_cast<float>(left), down = fromY - static_cast<float>(top);
              const int at = top * width + left;
              const float above = data[at] + right * (data[at + 1] - data[at]);
              const float below = data[at + width] + right * (data[at + width + 1] - data[at + width]);
              to[first + l] = above + down * (below - above);
            }
          } else if (outside(beginX, endX, width) || outside(beginY, endY, height)) {
            std::fill(to + first, to + last, 0.0f);
          } else {
            for (int x = first; x < last; ++x) to[x] = guarded(atX(x), atY(x));
          }
        }
}

// ---- selectivescan: a lane of a vector a channel, whose states are in registers or in the first cache; a block of
// channels of a sequence a task.

void selectivescan(In<float, 3> x, In<float, 3> delta, In<float, 2> a, In<float, 3> b, In<float, 3> c,
                   In<float, 1> skip, Out<float, 3> y) {
  constexpr std::size_t kStates = 16, kChannels = 2 * kWide;
  const std::size_t batch = x.size[0], steps = x.size[1], channels = x.size[2];
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t first = 0; first < channels; first += kChannels) {
      const std::size_t wide = std::min(kChannels, channels - first);
      float decay[kStates][kChannels] = {}, state[kStates][kChannels] = {};
      for (std::size_t l = 0; l < wide; ++l)
        for (std::size_t s = 0; s < kStates; ++s) decay[s][l] = a.data[(first + l) * kStates + s];
      for (std::size_t t = 0; t < steps; ++t) {
        const std::size_t at = (n * steps + t) * channels + first;
        const float *in = b.data + (n * steps + t) * kStates, *by = c.data + (n * steps + t) * kStates;
        float step[kChannels] = {}, input[kChannels] = {}, sum[kChannels] = {};
        for (std::size_t l = 0; l < wide; ++l) {
          step[l] = delta.data[at + l];
          input[l] = step[l] * x.data[at + l];
          sum[l] = skip.data[first + l] * x.data[at + l];
        }
        for (std::size_t s = 0; s < kStates; ++s) {
          const float factor = in[s], weight = by[s];
#pragma omp simd
          for (std::size_t l = 0; l < kChannels; ++l) {
            state[s][l] = std::exp(step[l] * decay[s][l]) * state[s][l] + factor * input[l];
            sum[l] += state[s][l] * weight;
          }
        }
        std::copy_n(sum, wide, y.data + at);
      }
    }
}

// ---- costvolume: a vector of points and their nine sums of a displaced row in registers: of each channel one vector
// of the first picture, and nine of the second, which overlap.

void costvolume(In<float, 3> first, In<float, 3> second, Out<float, 4> cost) {
  constexpr std::size_t kAway = 4, kShifts = 2 * kAway + 1;
  const std::size_t channels = first.size[0], height = first.size[1], width = first.size[2], plane = height * width;
  // The second picture between zeros, so that nothing has to be asked; whole vectors fit behind it. Channels of a row
  // are beside each other, not in the same sets of the cache.
  const std::size_t pitch = (width + kWide - 1) / kWide * kWide + 2 * kAway, ownPitch = pitch - 2 * kAway;
  const std::unique_ptr<float[]> padded(new float[channels * height * pitch]);
  const std::unique_ptr<float[]> own(new float[channels * height * ownPitch]); // the first one, alike
  const float by = 1 / static_cast<float>(channels);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t line = 0; line < height * channels; ++line) {
      const std::size_t from = (line % channels * height + line / channels) * width;
      float *to = padded.get() + line * pitch, *toOwn = own.get() + line * ownPitch;
      std::fill_n(to, kAway, 0.0f);
      std::copy_n(second.data + from, width, to + kAway);
      std::fill(to + kAway + width, to + pitch, 0.0f);
      std::copy_n(first.data + from, width, toOwn);
      std::fill(toOwn + width, toOwn + ownPitch, 0.0f);
    }
#pragma omp for collapse(2) schedule(static)
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t dy = 0; dy < kShifts; ++dy) {
        const std::size_t i = y + dy - kAway; // above the first: very large
        float *to = cost.data + dy * kShifts * plane + y * width;
        if (i >= height) {
          for (std::size_t dx = 0; dx < kShifts; ++dx) std::fill_n(to + dx * plane, width, 0.0f);
          continue;
        }
        for (std::size_t x = 0; x < width; x += kWide) {
          Vector sum[kShifts] = {};
          const float *left = own.get() + y * channels * ownPitch + x, *right = padded.get() + i * channels * pitch + x;
          for (std::size_t c = 0; c < channels; ++c, left += ownPitch, right += pitch) {
            const Vector here = vector(left);
#pragma GCC unroll 9
            for (std::size_t dx = 0; dx < kShifts; ++dx) sum[dx] += here * vector(right + dx);
          }
          const std::size_t there = std::min(kWide, width - x);
#pragma GCC unroll 9
          for (std::size_t dx = 0; dx < kShifts; ++dx) {
            const Vector mean = sum[dx] * by;
            if (there == kWide)
              vector(to + dx * plane + x) = mean;
            else
              std::memcpy(to + dx * plane + x, &mean, there * sizeof(float));
          }
        }
      }
  }
}

// ---- inverse4: as many matrices as a vector has lanes, each element a vector, so that nothing is asked or shuffled in
// between; they are turned on their way in and out.

void inverse4(float shift, In<float, 3> in, Out<float, 3> out) {
  const std::size_t all = in.size[0], blocks = (all + kWide - 1) / kWide;
#pragma omp parallel for schedule(static)
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kWide, there = std::min(kWide, all - first);
    float lanes[16][kWide];
    for (std::size_t l = 0; l < kWide; ++l) {
      const float *from = in.data + (first + std::min(l, there - 1)) * 16;
#pragma GCC unroll 16
      for (std::size_t e = 0; e < 16; ++e) lanes[e][l] = from[e];
    }
    Vector m[4][4];
#pragma GCC unroll 16
    for (std::size_t e = 0; e < 16; ++e) m[e / 4][e % 4] = vector(lanes[e]);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) m[i][i] += shift;
    // In place: a column of the unit matrix takes that of the pivot.
#pragma GCC unroll 4
    for (std::size_t p = 0; p < 4; ++p) {
      const Vector inverse = 1 / m[p][p];
      m[p][p] = Vector{} + 1;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < 4; ++j) m[p][j] *= inverse;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        if (i == p) continue;
        const Vector factor = m[i][p];
        m[i][p] = Vector{};
#pragma GCC unroll 4
        for (std::size_t j = 0; j < 4; ++j) m[i][j] -= factor * m[p][j];
      }
    }
#pragma GCC unroll 16
    for (std::size_t e = 0; e < 16; ++e) vector(lanes[e]) = m[e / 4][e % 4];
    for (std::size_t l = 0; l < there; ++l) {
      float *to = out.data + (first + l) * 16;
#pragma GCC unroll 16
      for (std::size_t e = 0; e < 16; ++e) to[e] = lanes[e][l];
    }
  }
}

// ---- rowquant: a row stays in the cache between its greatest number and its bytes

void rowquant(In<float, 2> in, Out<Signed, 2> out, Out<float, 1> scale) {
  const std::size_t rows = in.size[0], n = in.size[1];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    const float *from = in.data + i * n;
    Signed *to = out.data + i * n;
    float most = 0;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < n; ++j) most = std::max(most, std::abs(from[j]));
    scale.data[i] = most / 127;
    const float inverse = most > 0 ? 127 / most : 0;
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j)
      to[j] = static_cast<Signed>(static_cast<int>(from[j] * inverse + std::copysign(0.5f, from[j])));
  }
}

// ---- asian: paths go side by side, a vector of them a step; words of Philox are multiplied in lanes of 64 bits

void asian(unsigned paths, unsigned seed, double rate, double volatility, double strike, Result<double> result) {
  constexpr unsigned kSteps = 16, kPaths = 64; // whose states stay in the first cache
  const double drift = (rate - 0.5 * volatility * volatility) / kSteps,
               diffusion = volatility * std::sqrt(1.0 / kSteps);
  double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (unsigned first = 0; first < paths; first += kPaths) {
    const unsigned there = std::min(kPaths, paths - first);
    double logarithm[kPaths] = {}, sum[kPaths] = {};
    std::uint64_t words[2][kPaths];
    for (unsigned s = 0; s < kSteps; ++s) {
#pragma omp simd
      for (unsigned l = 0; l < kPaths; ++l) {
        std::uint64_t x = first + l, y = s, key = seed;
        for (unsigned round = 0; round < 10; ++round) {
          const std::uint64_t product = std::uint64_t{0xD256D193u} * x;
          x = (product >> 32) ^ key ^ y;
          y = product & 0xffffffffu;
          key = (key + 0x9E3779B9u) & 0xffffffffu;
        }
        words[0][l] = x;
        words[1][l] = y;
      }
#pragma omp simd
      for (unsigned l = 0; l < kPaths; ++l) {
        // Whole numbers below 2^32 as doubles: their bits behind those of 2^52.
        double u, v;
        const std::uint64_t magic = 0x4330000000000000u, ofU = words[0][l] | magic, ofV = words[1][l] | magic;
        std::memcpy(&u, &ofU, sizeof u);
        std::memcpy(&v, &ofV, sizeof v);
        u = (u - (4503599627370496.0 - 0.5)) * 0x1p-32;
        v = (v - 4503599627370496.0) * 0x1p-32;
        const double normal = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
        logarithm[l] += drift + diffusion * normal;
        sum[l] += std::exp(logarithm[l]);
      }
    }
    for (unsigned l = 0; l < there; ++l) total += std::max(sum[l] / kSteps - strike, 0.0);
  }
  *result.data = std::exp(-rate) * total / paths;
}

// ---- redblack: threads have rows of their own; behind a red row, the black one above it has all it needs. The first
// black row of a thread, and the last one, wait for the neighbours' red ones.

void relaxRow(const double *f, double *u, std::size_t i, std::size_t colour, std::size_t m, double omega) {
  double *here = u + i * m;
  const double *above = here - m, *below = here + m, *right = f + i * m;
  const double keep = 1 - omega, by = 0.25 * omega;
#pragma omp simd
  for (std::size_t j = 1 + (i + colour) % 2; j < m - 1; j += 2)
    here[j] = keep * here[j] + by * (above[j] + below[j] + here[j - 1] + here[j + 1] - right[j]);
}

void redblack(int sweeps, double omega, In<double, 2> f, Out<double, 2> u) {
  const std::size_t n = u.size[0], m = u.size[1];
  if (n < 3 || m < 3) return;
#pragma omp parallel
  {
    const std::size_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    const std::size_t begin = 1 + (n - 2) * own / threads, end = 1 + (n - 2) * (own + 1) / threads;
    for (int t = 0; t < sweeps; ++t) {
      for (std::size_t i = begin; i < end; ++i) {
        relaxRow(f.data, u.data, i, 0, m, omega);
        if (i >= begin + 2) relaxRow(f.data, u.data, i - 1, 1, m, omega);
      }
#pragma omp barrier
      if (begin < end) relaxRow(f.data, u.data, begin, 1, m, omega);
      if (begin + 1 < end) relaxRow(f.data, u.data, end - 1, 1, m, omega);
#pragma omp barrier
    }
  }
}

// ---- editdistance: a pair a byte of a vector: distances are at most 64

void editdistance(In<Byte, 2> a, In<Byte, 2> b, Out<int, 1> distance) {
  constexpr std::size_t kLong = 64, kPairs = kWide * sizeof(float);
  using Bytes = Byte __attribute__((vector_size(kPairs)));
  const std::size_t pairs = distance.size[0], blocks = (pairs + kPairs - 1) / kPairs;
#pragma omp parallel for schedule(static)
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kPairs, there = std::min(kPairs, pairs - first);
    Bytes words[2][kLong], row[kLong + 1];
    for (std::size_t w = 0; w < 2; ++w)
      for (std::size_t l = 0; l < kPairs; ++l) {
        const Byte *from = (w == 0 ? a.data : b.data) + (first + std::min(l, there - 1)) * kLong;
        auto *to = reinterpret_cast<Byte *>(words[w]) + l;
        for (std::size_t j = 0; j < kLong; ++j) to[j * kPairs] = from[j];
      }
    const Bytes one = Bytes{} + Byte{1};
    row[0] = Bytes{};
    for (std::size_t j = 0; j < kLong; ++j) row[j + 1] = row[j] + one;
    for (std::size_t i = 0; i < kLong; ++i) {
      const Bytes letter = words[0][i];
      Bytes diagonal = row[0], left = diagonal + one;
      row[0] = left;
      for (std::size_t j = 0; j < kLong; ++j) {
        const Bytes above = row[j + 1], exchanged = diagonal + one + Bytes(letter == words[1][j]); // equal: -1
        const Bytes added = (above < left ? above : left) + one;
        row[j + 1] = left = exchanged < added ? exchanged : added;
        diagonal = above;
      }
    }
    for (std::size_t l = 0; l < there; ++l) distance.data[first + l] = row[kLong][l];
  }
}

// ---- qmatmul: numbers of 16 bits, two of which are multiplied and added at a time. Weights are packed so that a
// vector has a pair of each of some columns; sums of some rows and columns are in registers. Threads have rows.

#if defined(__AVX512BW__)
constexpr std::size_t kInts = 16;
using Ints = __m512i;
Ints pairsOf(int both) { return _mm512_set1_epi32(both); }
Ints load(const std::int16_t *from) { return _mm512_loadu_si512(from); }
void store(int *to, Ints x) { _mm512_storeu_si512(to, x); }
#ifdef __AVX512VNNI__
Ints addPairs(Ints sum, Ints x, Ints y) { return _mm512_dpwssd_epi32(sum, x, y); }
#else
Ints addPairs(Ints sum, Ints x, Ints y) { return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y)); }
#endif
#elif defined(__AVX2__)
constexpr std::size_t kInts = 8;
using Ints = __m256i;
Ints pairsOf(int both) { return _mm256_set1_epi32(both); }
Ints load(const std::int16_t *from) { return _mm256_loadu_si256(reinterpret_cast<const Ints *>(from)); }
void store(int *to, Ints x) { _mm256_storeu_si256(reinterpret_cast<Ints *>(to), x); }
Ints addPairs(Ints sum, Ints x, Ints y) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y)); }
#else
constexpr std::size_t kInts = 4;
using Ints = std::int32_t __attribute__((vector_size(16)));
Ints pairsOf(int both) { return Ints{} + both; }
Ints load(const std::int16_t *from) {
  Ints x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
void store(int *to, Ints x) { std::memcpy(to, &x, sizeof x); }
Ints addPairs(Ints sum, Ints x, Ints y) { return sum + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16); }
#endif

constexpr std::size_t kTileRows = kInts == 16 ? 6 : 4, kTileVectors = kInts == 16 ? 4 : 2,
                      kTileColumns = kTileVectors * kInts;

/// Of `deep` pairs, of kTileRows rows and kTileColumns columns.
void multiplyTile(const std::int16_t *rows, const std::int16_t *columns, std::size_t deep,
                  int (&sums)[kTileRows][kTileColumns]) {
  Ints sum[kTileRows][kTileVectors] = {};
  for (std::size_t k = 0; k < deep; ++k, rows += 2 * kTileRows, columns += 2 * kTileColumns) {
    Ints y[kTileVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kTileVectors; ++v) y[v] = load(columns + v * 2 * kInts);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kTileRows; ++r) {
      int both;
      std::memcpy(&both, rows + 2 * r, sizeof both);
      const Ints x = pairsOf(both);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTileVectors; ++v) sum[r][v] = addPairs(sum[r][v], x, y[v]);
    }
  }
  for (std::size_t r = 0; r < kTileRows; ++r)
    for (std::size_t v = 0; v < kTileVectors; ++v) store(&sums[r][v * kInts], sum[r][v]);
}

/// Rows `first` and following as pairs, of each pair of elements `tile` rows one after the other; zeros for what is not
/// there.
void pack(const Signed *from, std::int16_t *to, std::size_t first, std::size_t rows, std::size_t deep, std::size_t n,
          std::size_t tile) {
  for (std::size_t r = 0; r < tile; ++r)
    for (std::size_t k = 0; k < 2 * deep; ++k)
      to[(k / 2 * tile + r) * 2 + k % 2] = first + r < rows && k < n ? from[(first + r) * n + k] : Signed{0};
}

void qmatmul(In<Signed, 2> in, In<Signed, 2> weights, In<int, 1> bias, In<int, 1> scale, Out<Signed, 2> out) {
  const std::size_t m = out.size[0], n = out.size[1], inner = in.size[1], deep = (inner + 1) / 2;
  const std::size_t rowTiles = (m + kTileRows - 1) / kTileRows, columnTiles = (n + kTileColumns - 1) / kTileColumns;
  const std::unique_ptr<std::int16_t[]> rows(new std::int16_t[rowTiles * kTileRows * 2 * deep]);
  const std::unique_ptr<std::int16_t[]> columns(new std::int16_t[columnTiles * kTileColumns * 2 * deep]);
  constexpr std::size_t kTogether = 16; // tiles of rows, which stay in the second cache while columns go by
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::size_t t = 0; t < rowTiles; ++t)
      pack(in.data, rows.get() + t * kTileRows * 2 * deep, t * kTileRows, m, deep, inner, kTileRows);
#pragma omp for schedule(static)
    for (std::size_t t = 0; t < columnTiles; ++t)
      pack(weights.data, columns.get() + t * kTileColumns * 2 * deep, t * kTileColumns, n, deep, inner, kTileColumns);
#pragma omp for schedule(dynamic)
    for (std::size_t group = 0; group < rowTiles; group += kTogether)
      for (std::size_t c = 0; c < columnTiles; ++c)
        for (std::size_t t = group; t < std::min(group + kTogether, rowTiles); ++t) {
          int sums[kTileRows][kTileColumns];
          multiplyTile(rows.get() + t * kTileRows * 2 * deep, columns.get() + c * kTileColumns * 2 * deep, deep, sums);
          const std::size_t first = c * kTileColumns, wide = std::min(kTileColumns, n - first);
          for (std::size_t r = 0; r < std::min(kTileRows, m - t * kTileRows); ++r) {
            Signed *to = out.data + (t * kTileRows + r) * n + first;
            for (std::size_t j = 0; j < wide; ++j) {
              const std::int64_t sum = sums[r][j] + bias.data[first + j];
              const auto scaled = static_cast<int>((sum * scale.data[first + j] + (std::int64_t{1} << 30)) >> 31);
              to[j] = static_cast<Signed>(std::clamp(scaled, -128, 127));
            }
          }
        }
  }
}

// ---- boxfilter: sums of a strip's columns slide down a band of rows, vectors of them; along a row their sum slides,
// and is divided by vectors again. All that a strip needs of a row stays in the first cache.

struct Box {
  int radius, height, width;
  const Byte *in;
  Byte *out;
};

void boxStrip(const Box &box, int begin, int end, int left, int right) {
  const int radius = box.radius, wide = right - left, first = left - radius - 1; // column
  const int from = std::max(first, 0), to = std::min(right + radius, box.width);
  std::vector<int> columns(wide + 2 * radius + 1, 0), along(wide), across(wide), half(wide); // outside: zeros
  std::vector<float> inverse(wide);
  for (int x = 0; x < wide; ++x)
    across[x] = std::min(left + x + radius, box.width - 1) - std::max(left + x - radius, 0) + 1;
  const auto row = [&](int y) { return box.in + static_cast<std::size_t>(y) * box.width; };
  const auto take = [&](int y, int sign) {
    const Byte *bytes = row(y);
#pragma omp simd
    for (int x = from; x < to; ++x) columns[x - first] += sign * bytes[x];
  };
  for (int y = std::max(begin - radius - 1, 0); y < std::min(begin + radius, box.height); ++y) take(y, 1);
  int known = 0; // of how many rows a half and the inverse are
  for (int y = begin; y < end; ++y) {
    if (y + radius < box.height && y - radius > 0) {
      const Byte *next = row(y + radius), *last = row(y - radius - 1);
#pragma omp simd
      for (int x = from; x < to; ++x) columns[x - first] += next[x] - last[x];
    } else if (y + radius < box.height) {
      take(y + radius, 1);
    } else if (y - radius > 0) {
      take(y - radius - 1, -1);
    }
    int sum = 0;
    for (int x = 0; x <= 2 * radius; ++x) sum += columns[x];
    for (int x = 0; x < wide; ++x) along[x] = sum += columns[x + 2 * radius + 1] - columns[x];
    const int rows = std::min(y + radius, box.height - 1) - std::max(y - radius, 0) + 1;
    if (rows != known) {
      known = rows;
      for (int x = 0; x < wide; ++x) {
        half[x] = rows * across[x] / 2;
        inverse[x] = 1 / static_cast<float>(rows * across[x]);
      }
    }
    Byte *result = box.out + static_cast<std::size_t>(y) * box.width + left;
    if (std::int64_t{rows} * (2 * std::int64_t{radius} + 1) < (1 << 12)) {
      // A fraction is at least half a share away from a whole number, which is more than roundings are.
#pragma omp simd
      for (int x = 0; x < wide; ++x)
        result[x] = static_cast<Byte>(static_cast<int>((static_cast<float>(along[x] + half[x]) + 0.5f) * inverse[x]));
    } else {
      for (int x = 0; x < wide; ++x) result[x] = static_cast<Byte>((along[x] + half[x]) / (rows * across[x]));
    }
  }
}

void boxfilter(int radius, In<Byte, 2> in, Out<Byte, 2> out) {
  constexpr int kStrip = 1024, kBand = 256;
  const Box box{radius, static_cast<int>(in.size[0]), static_cast<int>(in.size[1]), in.data, out.data};
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int y = 0; y < box.height; y += kBand)
    for (int x = 0; x < box.width; x += kStrip)
      boxStrip(box, y, std::min(y + kBand, box.height), x, std::min(x + kStrip, box.width));
}

// ---- hough: bright points are listed first; each angle's votes then stay in the first cache while it goes through all

void hough(int threshold, In<Byte, 2> in, In<int, 1> cosine, In<int, 1> sine, Out<int, 2> votes) {
  struct Point {
    int x, y;
  };
  const std::size_t height = in.size[0], width = in.size[1], angles = cosine.size[0], distances = votes.size[1];
  const auto middle = static_cast<int>(height + width);
  std::vector<std::vector<Point>> bright; // of each thread
#pragma omp parallel
  {
#pragma omp single
    bright.resize(omp_get_num_threads());
    std::vector<Point> own;
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < height; ++y) {
      const Byte *from = in.data + y * width;
      std::size_t x = 0;
      constexpr std::size_t kBlock = 32;
      for (; x < width; x += kBlock) {
        const std::size_t end = std::min(x + kBlock, width);
        Byte most = 0;
#pragma omp simd reduction(max : most)
        for (std::size_t j = x; j < end; ++j) most = std::max(most, from[j]);
        if (most <= threshold) continue;
        for (std::size_t j = x; j < end; ++j)
          if (from[j] > threshold) own.push_back({static_cast<int>(j), static_cast<int>(y)});
      }
    }
    bright[omp_get_thread_num()].swap(own);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::size_t a = 0; a < angles; ++a) {
      int *to = votes.data + a * distances;
      std::fill_n(to, distances, 0);
      to += middle;
      const int c = cosine.data[a], s = sine.data[a];
      for (const std::vector<Point> &points : bright) {
        constexpr std::size_t kBlock = 32;
        std::size_t p = 0;
        for (; p + kBlock <= points.size(); p += kBlock) {
          int at[kBlock];
#pragma omp simd
          for (std::size_t l = 0; l < kBlock; ++l) at[l] = (points[p + l].x * c + points[p + l].y * s) >> 14;
#pragma GCC unroll 8
          for (std::size_t l = 0; l < kBlock; ++l) ++to[at[l]];
        }
        for (; p < points.size(); ++p) ++to[(points[p].x * c + points[p].y * s) >> 14];
      }
    }
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<logsumexp> logsumexpPeer("logsumexp", "openmp", {"in", "out"});
const Peer<ema> emaPeer("ema", "openmp", {"alpha", "in", "out"});
const Peer<topk> topkPeer("topk", "openmp", {"distance", "value", "index"});
const Peer<rotate> rotatePeer("rotate", "openmp", {"cosine", "sine", "in", "out"});
const Peer<selectivescan> selectivescanPeer("selectivescan", "openmp", {"x", "delta", "a", "b", "c", "skip", "y"});
const Peer<costvolume> costvolumePeer("costvolume", "openmp", {"first", "second", "cost"});
const Peer<inverse4> inverse4Peer("inverse4", "openmp", {"shift", "in", "out"});
const Peer<rowquant> rowquantPeer("rowquant", "openmp", {"in", "out", "scale"});
const Peer<asian> asianPeer("asian", "openmp", {"paths", "seed", "rate", "volatility", "strike", "result"});
const Peer<redblack> redblackPeer("redblack", "openmp", {"sweeps", "omega", "f", "u"});
const Peer<editdistance> editdistancePeer("editdistance", "openmp", {"a", "b", "distance"});
const Peer<qmatmul> qmatmulPeer("qmatmul", "openmp", {"in", "weights", "bias", "scale", "out"});
const Peer<boxfilter> boxfilterPeer("boxfilter", "openmp", {"radius", "in", "out"});
const Peer<hough> houghPeer("hough", "openmp", {"threshold", "in", "cosine", "sine", "votes"});

} // namespace

BENCH_PEERS(&logsumexpPeer.kernel, &emaPeer.kernel, &topkPeer.kernel, &rotatePeer.kernel, &selectivescanPeer.kernel,
            &costvolumePeer.kernel, &inverse4Peer.kernel, &rowquantPeer.kernel, &asianPeer.kernel, &redblackPeer.kernel,
            &editdistancePeer.kernel, &qmatmulPeer.kernel, &boxfilterPeer.kernel, &houghPeer.kernel)
